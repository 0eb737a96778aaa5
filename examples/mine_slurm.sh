#!/bin/sh
# Mine pairs on a Slurm cluster: run on a login node, with the corpora and OUT on storage that every node sees.
# Needs `pip install 'probeta[scale]'` in an environment that the nodes see too, and a Spanish pipeline in it.
#
#   sh examples/mine_slurm.sh /shared/corpora/esbooks__gutenberg /shared/out/esnlir
#
# The command submits one array job and waits for it. Interrupt it at will: the same command goes on from the
# shards that are done, with this executor or another one. Logs: OUT's folder, .esnlir.work/datatrove.
set -eu
corpus=$1
out=$2

export PROBETA_PARTITION=${PROBETA_PARTITION:-short} # sbatch --partition
export PROBETA_TASKS=${PROBETA_TASKS:-64}            # tasks of the array; a task mines every 64th shard
export PROBETA_MEMORY=${PROBETA_MEMORY:-2}           # GB a task; a worker needs less than 0.4
export PROBETA_TASK_LIMIT=${PROBETA_TASK_LIMIT:-21600} # seconds a task may take
export PROBETA_SHARD_LIMIT=${PROBETA_SHARD_LIMIT:-1800} # seconds a shard may take before its process is ended
# Further options of sbatch, as JSON: PROBETA_SBATCH='{"account": "nlp", "constraint": "cpu"}'

# --workers: how many tasks of the array run at once.
probeta build esnlir --corpus "$corpus" --out "$out" --executor slurm --workers 32
