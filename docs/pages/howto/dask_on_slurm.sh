#!/bin/bash
# A Dask cluster for the length of one Slurm job: sbatch dask_on_slurm.sh
# Needs: pip install --constraint constraints.txt '.[dask]', and dask-jobqueue 0.9. Task 0 is the scheduler, task 1 the
# run, and all others are workers of one thread each, so that nothing stays on a login node.
#SBATCH --job-name=dprepro
#SBATCH --ntasks=18
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00

export DASK_LOGGING__DISTRIBUTED=error  # the end of a cluster is no error, and its log would hide the verdict

srun python -c '
from dask.distributed import Client
from dask_jobqueue.slurm import SLURMRunner

import dprepro

with SLURMRunner(scheduler_file="scheduler-{job_id}.json", worker_options={"nthreads": 1}) as runner:
    with Client(runner) as client:
        client.wait_for_workers(runner.n_workers)
        print(dprepro.run("lasso_rate", workers=client.scheduler.address))
'
