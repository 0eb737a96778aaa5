#!/bin/sh
# The whole loop on data that the project ships. `make demo` runs it in the project's environment.
set -eu
probeta build blas --out out/blas --replace
probeta check out/blas
