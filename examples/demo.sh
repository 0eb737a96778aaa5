#!/bin/sh
# The whole loop on data that the project ships. `make demo` runs it in the project's environment.
set -eu

step() {
  printf '\n== %s\n$ %s\n' "$1" "$2"
  eval "$2"
}

step "Build a diagnostic test set" "probeta build blas --out out/blas --replace"
step "Prove it sound" "probeta check out/blas"
step "Mine sentence pairs from a small corpus" "probeta build esnlir --out out/esnlir --replace"
step "Prove them sound" "probeta check out/esnlir"

rm -rf out/campaign
step "Draw a sample for annotators" \
  "probeta campaign init out/campaign --from out/esnlir --sample 12 --strata connector_type"
step "Plan who annotates what" \
  "probeta campaign assign out/campaign --local --annotator ana@example.org --annotator luz@example.org --annotator teo@example.org"
# `make test` installs the server; without it the demo stops at the plan.
if [ -x .venv-label-studio/bin/label-studio ]; then
  LABEL_STUDIO_API_KEY=$(python -c 'import secrets; print(secrets.token_hex(20))')
  export LABEL_STUDIO_API_KEY
  port=$(python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  printf '\n== A Label Studio of its own on this machine\n'
  probeta campaign serve out/campaign --port "$port" --data out/label-studio >out/label-studio.log 2>&1 &
  server=$!
  trap 'kill "$server"' EXIT
  python examples/wait_for.py "http://127.0.0.1:$port/health"
  step "Push every item exactly once" "probeta campaign push out/campaign --url http://127.0.0.1:$port"
  step "Who is where" "probeta campaign status out/campaign"
fi

step "Agreement between annotators" "probeta agree examples/annotations.csv"
step "Gold, with the reason for every pair kept or dropped" "probeta adjudicate examples/annotations.csv"
step "Let two toy systems predict" "python examples/toy_systems.py out/blas out"
step "Score them; choose one for text without quotation marks" \
  "probeta score out/blas quotes=out/quotes.jsonl spelling=out/spelling.jsonl --scenario quotes=without,casing=lower"
step "Publish, as a dry run" "probeta publish out/blas --repo my-org/blas --dry-run"
step "What there is now" "probeta coverage blas"

cat <<'END'

out/blas     the diagnostic set: data, card (README.md), guidelines, reports, checksums
out/esnlir   the mined pairs, with the funnel of every sentence in reports/
Next: probeta new mine --from blas    a recipe of your own
END
