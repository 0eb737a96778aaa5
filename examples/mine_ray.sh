#!/bin/sh
# Mine pairs on a Ray cluster: run on its head node, with the corpora and OUT on storage that every node sees.
# Needs `pip install 'probeta[scale]' ray` on every node, and a Spanish pipeline.
#
#   ray start --head                      # on the head node, once
#   ray start --address=HEAD:6379         # on every other node
#   RAY_ADDRESS=auto sh examples/mine_ray.sh /shared/corpora/esbooks__gutenberg /shared/out/esnlir
#
# Without RAY_ADDRESS, Ray starts on this machine alone. The same command goes on from the shards that are done.
set -eu
corpus=$1
out=$2

export RAY_USAGE_STATS_ENABLED=0
export PROBETA_TASKS=${PROBETA_TASKS:-64}
export PROBETA_MEMORY=${PROBETA_MEMORY:-2}
export PROBETA_TASK_LIMIT=${PROBETA_TASK_LIMIT:-21600}
export PROBETA_SHARD_LIMIT=${PROBETA_SHARD_LIMIT:-1800}

probeta build esnlir --corpus "$corpus" --out "$out" --executor ray --workers 32
