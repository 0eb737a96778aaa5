"""Headless Chromium in front of Label Studio: what an annotator does with mouse and keys."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from label_studio import PASSWORD
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

T = TypeVar("T")

#: Where a text's characters are on the screen: the middle of the line at both ends of a stretch.
_PLACES = """
const [wanted] = arguments;
const root = [...document.querySelectorAll('[class*="richtext"]')].find(e => e.textContent.includes(wanted));
if (!root) return null;
const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
let node;
while ((node = walker.nextNode())) {
  const at = node.data.indexOf(wanted);
  if (at < 0) continue;
  const range = document.createRange();
  range.setStart(node, at);
  range.setEnd(node, at + wanted.length);
  const box = range.getBoundingClientRect();
  return [box.left, box.right, (box.top + box.bottom) / 2];
}
return null;
"""


class Browser:
    """A browser in which one person works."""

    def __init__(self, chromium: str, driver: str) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1280,900",
            "--disable-background-networking",
            "--lang=en-US",
        ):
            options.add_argument(flag)
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.driver.set_page_load_timeout(60)

    def close(self) -> None:
        self.driver.quit()

    def until(self, look: Callable[[], T | None], *, what: str, seconds: float = 40) -> T:
        """Wait until ``look`` finds something."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                found = look()
            except WebDriverException:
                found = None
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"no {what} after {seconds} s at {self.driver.current_url}")

    def find(self, css: str) -> Any:
        """A visible element, waited for."""
        return self.until(
            lambda: next(
                (e for e in self.driver.find_elements(By.CSS_SELECTOR, css) if e.is_displayed()), None
            ),
            what=css,
        )

    def click(self, text: str) -> None:
        """Click a button by its words, once nothing lies over it."""

        def look() -> Any:
            for element in self.driver.find_elements(By.TAG_NAME, "button"):
                if element.is_displayed() and element.text.strip().lower() == text.lower():
                    element.click()
                    return True
            return None

        self.until(look, what=f"button {text}")

    def log_in(self, url: str, email: str) -> None:
        self.driver.get(f"{url}/user/login/")
        self.find("input[name=email]").send_keys(email)
        self.find("input[name=password]").send_keys(PASSWORD)
        self.find("button[type=submit], button[aria-label='Log In']").click()
        self.until(lambda: "/user/login" not in self.driver.current_url or None, what="login")

    def open(self, link: str) -> None:
        """Follow an annotator's link and close the instructions, which come first."""
        self.driver.get(link)
        self.ready()

    def ready(self, shows: str = "") -> None:
        """Wait for a text that has ``shows`` in it; close the instructions if they are in the way."""

        def look() -> Any:
            for element in self.driver.find_elements(By.CSS_SELECTOR, "[class*=modal] button"):
                if element.is_displayed():
                    element.click()
            texts = self.driver.find_elements(By.CSS_SELECTOR, '[class*="richtext"]')
            return any(shows in (one.get_property("textContent") or "") for one in texts) or None

        self.until(look, what=f"text {shows}")

    def text(self) -> str:
        """All that the page shows."""
        return str(self.driver.find_element(By.TAG_NAME, "body").text)

    def again_until(self, act: Callable[[], None], look: Callable[[], T | None], *, what: str) -> None:
        """Act until it shows: the editor binds keys and mouse some time after it shows the text."""
        for _ in range(10):
            act()
            try:
                self.until(look, what=what, seconds=10)
            except AssertionError:
                continue
            return
        raise AssertionError(f"no {what} at {self.driver.current_url}")

    def marked(self, text: str) -> bool | None:
        """Whether a region covers just this text."""
        marks = self.driver.find_elements(By.CSS_SELECTOR, '[class*="htx-highlight"]')
        return any(mark.get_property("textContent") == text for mark in marks) or None

    def mark(self, text: str) -> None:
        """Mark a stretch of text with the mouse, the label being chosen."""
        self.again_until(lambda: self._drag(text), lambda: self.marked(text), what=f"region {text}")

    def _drag(self, wanted: str) -> None:
        left, right, middle = self.until(
            lambda: self.driver.execute_script(_PLACES, wanted), what=f"text {wanted}"
        )
        mouse = ActionChains(self.driver, duration=100)
        mouse.w3c_actions.pointer_action.move_to_location(int(left) + 1, int(middle))
        mouse.w3c_actions.pointer_action.pointer_down()
        mouse.w3c_actions.pointer_action.move_to_location(int((left + right) / 2), int(middle))
        mouse.w3c_actions.pointer_action.move_to_location(int(right), int(middle))
        mouse.w3c_actions.pointer_action.pointer_up()
        mouse.perform()

    def choose(self, key: str) -> None:
        """Press the key of a label, or of a class, that is not chosen yet."""
        chosen = '[class*="label_selected"], input[type=radio]:checked'
        self.again_until(
            lambda: ActionChains(self.driver).send_keys(key).perform(),
            lambda: self.driver.find_elements(By.CSS_SELECTOR, chosen) or None,
            what=f"choice by the key {key}",
        )

    def shot(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))
