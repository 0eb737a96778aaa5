# Two commands do all the set-up: `make demo` and `make test`. Both make the environment when it is missing.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
STUDIO := .venv-label-studio
# -qq: pip's errors, not its remarks on the registries that a machine is set to.
PIP    := -m pip install -qq --disable-pip-version-check --no-deps

.PHONY: demo test test-gamma test-extras check bench lock clean

demo: $(READY)
	@PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

# Without Label Studio its tests are skipped visibly; in CI they fail, so a failed install is no reason to stop.
test: $(READY)
	@$(MAKE) --no-print-directory $(STUDIO)/.ready || echo 'Label Studio could not be installed: its tests cannot run' >&2
	$(BIN)/python -m pytest -q $(ARGS)

# The tests run a real Label Studio, whose pins must not bind ours: an environment and a lock of its own.
$(STUDIO)/.ready: annotation/requirements-label-studio.lock
	@if [ -n "$$PROBETA_LABEL_STUDIO" ]; then echo "the tests use $$PROBETA_LABEL_STUDIO"; \
	elif [ -L $(STUDIO) ]; then echo 'the tests use the Label Studio that $(STUDIO) links to'; \
	else echo 'installing Label Studio for the tests into $(STUDIO) (about 1 GB, two minutes)'; \
	$(PYTHON) -m venv --clear $(STUDIO) && \
	$(STUDIO)/bin/python $(PIP) --require-hashes --requirement $< && \
	touch $@; fi

# The extra `gamma` has an environment of its own: its solvers weigh 250 MB, and its numpy is not ours.
test-gamma: $(VENV)-gamma/.ready
	PYTHONPATH=. $(VENV)-gamma/bin/python -m pytest -q -m gamma tests/test_agreement_gamma.py $(ARGS)

$(VENV)-gamma/.ready: requirements-gamma.lock
	$(PYTHON) -m venv --clear $(VENV)-gamma
	$(VENV)-gamma/bin/python $(PIP) --requirement requirements-gamma.lock
	@touch $@

# The extras `scale` and `baselines` lie on top of our environment; most people need neither.
test-extras: $(VENV)-extras/.ready
	$(VENV)-extras/bin/python -m pytest -q tests/test_pairs_executors.py tests/test_pairs_artifacts.py $(ARGS)

$(VENV)-extras/.ready: $(READY) requirements-extras.lock
	$(PYTHON) -m venv --clear $(VENV)-extras
	$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' >$(VENV)-extras/below.pth
	$(VENV)-extras/bin/python -c 'import shutil, sysconfig; shutil.move("$(VENV)-extras/below.pth", sysconfig.get_path("purelib"))'
	$(VENV)-extras/bin/python $(PIP) --requirement requirements-extras.lock
	@touch $@

# What a change must pass besides the tests; pre-commit and the workflow call the same.
check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m benchmarks $(ARGS)

# The stamp is touched last, so that a killed install starts over; --clear drops packages that the lock lost.
$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'probeta needs Python 3.11 or newer; say which: make $(MAKECMDGOALS) PYTHON=python3.11' >&2; exit 2; }
	@echo 'making the environment $(VENV) from requirements.lock: a minute or more, without a word from pip' >&2
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python $(PIP) --requirement requirements.lock
	$(BIN)/python $(PIP) --no-build-isolation --editable .
	@touch $@

lock:
	printf '%s\n' 'label-studio==1.23.2' | uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --output-file annotation/requirements-label-studio.lock -
	printf '%s\n' 'pygamma-agreement>=0.5.9' 'hypothesis>=6.112' 'pytest>=8' | uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --output-file requirements-gamma.lock -
	printf '%s\n' 'datatrove>=0.10' humanize loguru 'xgboost>=2.1' | uv pip compile --quiet --no-deps --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --output-file requirements-extras.lock -
	uv export --quiet --all-groups --extra annotation --no-emit-project --format requirements-txt --output-file requirements.lock

clean:
	rm -rf $(VENV) $(VENV)-gamma $(VENV)-extras $(STUDIO)
