#!/bin/sh
# The whole loop on data that the project ships. `make demo` runs it in the project's environment.
set -eu

step() {
  printf '\n== %s\n$ %s\n' "$1" "$2"
  eval "$2"
}

step "Build a diagnostic test set" "probeta build blas --out out/demo/blas --replace"
step "Prove it sound" "probeta check out/demo/blas"
step "Let two toy systems predict" "python examples/toy_systems.py out/demo/blas out/demo"
step "Score them; choose one for text without quotation marks" \
  "probeta score out/demo/blas quotes=out/demo/quotes.jsonl spelling=out/demo/spelling.jsonl --scenario quotes=without,casing=lower"
step "Agreement between annotators" "probeta agree examples/annotations.csv"
step "Gold, with the reason for every pair kept or dropped" "probeta adjudicate examples/annotations.csv"

cat <<'END'

The set is in out/demo/blas: data, card (README.md), guidelines, reports, checksums.
Next: probeta new mine --from blas    a recipe of your own
END
