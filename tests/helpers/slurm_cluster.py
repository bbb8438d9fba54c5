"""A Slurm of two nodes on this machine, from the system's packages: munged, slurmctld and two slurmd on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
SBIN = "/usr/sbin:/usr/local/sbin"

CONF = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={socket}
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
InactiveLimit=0
KillWait=2
MinJobAge=10
SlurmctldTimeout=60
SlurmdTimeout=60
Waittime=0
NodeName=one NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=1 State=UNKNOWN
NodeName=two NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=1 State=UNKNOWN
PartitionName=short Nodes=one,two Default=YES MaxTime=60 State=UP
"""


def lacking() -> str:
    """What is not installed, or who is not root; empty if nothing is lacking."""
    path = f"{os.environ['PATH']}:{SBIN}"
    if gone := [name for name in NEEDED if not shutil.which(name, path=path)]:
        return f"{', '.join(gone)} not found: install the packages slurm-wlm and munge"
    return "" if os.geteuid() == 0 else "the daemons are started by root"


@contextmanager
def slurm(folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which commands reach the cluster, whose files are in a folder; it ends with the block."""
    environment = {
        **os.environ, "PATH": f"{os.environ['PATH']}:{SBIN}", "SLURM_CONF": str(folder / "slurm.conf"),
    }  # fmt: skip
    (folder / "state").mkdir(parents=True)
    for node in ("one", "two"):
        (folder / "spool" / node).mkdir(parents=True)
    munge = folder / "munge"
    munge.mkdir(mode=0o755)
    key = munge / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    at = munge / "munge.socket"
    with _free_ports(3) as ports:
        controller, first, second = ports
    (folder / "slurm.conf").write_text(
        CONF.format(
            host=socket.gethostname().partition(".")[0], folder=folder, socket=at, controller=controller, first=first,
            second=second,
        ),
        encoding="utf-8",
    )  # fmt: skip
    daemons: list[subprocess.Popen[bytes]] = []

    def start(*command: str) -> None:
        with (folder / f"{command[0]}-{len(daemons)}.out").open("wb") as out:
            daemons.append(subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True))

    try:
        start(
            "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={at}",
            f"--pid-file={munge}/munged.pid", f"--log-file={munge}/munged.log", f"--seed-file={munge}/munged.seed",
        )  # fmt: skip
        _wait_until(at.exists)
        start("slurmctld", "-D", "-c")
        start("slurmd", "-D", "-N", "one")
        start("slurmd", "-D", "-N", "two")
        _wait_until(lambda: asked(environment, "sinfo", "--noheader", "--Node", "--format=%T").split() == ["idle"] * 2)
        yield environment
    finally:
        asked(environment, "scancel", "--state=RUNNING,PENDING", f"--user={os.geteuid()}")
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in reversed(daemons):
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def asked(environment: dict[str, str], *command: str) -> str:
    """What a command of the cluster says."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


def _wait_until(is_so: object, seconds: float = 60.0) -> None:
    assert callable(is_so)
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@contextmanager
def _free_ports(count: int) -> Iterator[list[int]]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        yield [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
