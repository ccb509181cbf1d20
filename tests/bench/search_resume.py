"""That a search killed at random goes on to the rows of one that nothing disturbed, with any number of processes.

    search_resume.py TASKTWIN [--points N] [--kills K] [--seed S] [--ranks 1,2,4]

Searches a space of about N points once undisturbed; once more with two processes, ended by SIGKILL as soon as its file has so many points as a
draw says, K times, and taken up again each time; and once under mpirun with each number of ranks, where there is an mpirun. Exits with 1
where the tables of the files differ.
"""
import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

SCENARIO = """scenario: diamond
machine: nvidia-h200
graph:
  tasks:
    - {name: a, time_ns: 2000, sigma_ns: 300}
    - {name: b, time_ns: 3000, after: [a]}
    - {name: c, time_ns: 2500, sigma_ns: 200, after: [a]}
    - {name: d, time_ns: 1000, after: [b, c]}
designs: [central-dispatcher, shared-queue]
"""
POINTS_OF_OTHER_AXES = 2 * 5 * 10 * 20


def search(points):
    hops = ",".join(str(100 + 10 * i) for i in range(max(1, points // POINTS_OF_OTHER_AXES)))
    return ["search", "diamond.yaml", "--method", "grid", "--no-prune", "--vary", "designs.mailbox_depth=1,2,3,4,5",
            "--vary", "machine.device_control.poll_ns=" + ",".join(str(20 + i) for i in range(10)),
            "--vary", "machine.device_control.dispatch_ns=" + ",".join(str(50 + 10 * i) for i in range(20)),
            "--vary", "machine.device_mailboxes.hop_ns=" + hops]


def query(file, text):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=60) as database:
        return database.execute(text).fetchall()


def rows(file):
    return query(file, "SELECT * FROM points ORDER BY point") + query(file, "SELECT * FROM runs ORDER BY point, scenario, run")


def points_in(file):
    try:
        return query(file, "SELECT count(*) FROM points")[0][0]
    except sqlite3.OperationalError:  # not there yet, or a checkpoint is under way
        return 0


def run(command, **more):
    """How long it takes, in seconds."""
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **more)
    return time.monotonic() - begun


def killed(tasktwin, arguments, file, limits):
    """Runs until the file has each of so many points in turn, and then to the end."""
    for limit in limits:
        going = arguments + ["--results", file] if not os.path.exists(file) else ["search", "--resume", file]
        process = subprocess.Popen([tasktwin, *going, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and points_in(file) < limit:
            time.sleep(0.01)
        process.kill()
        process.wait()
        print(f"killed with {points_in(file)} points", flush=True)
    seconds = run([tasktwin, "search", "--resume", file, "--jobs", "2"])
    print(f"gone on to the end in {seconds:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tasktwin")
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", default="1,2,4")
    asked = parser.parse_args()
    tasktwin = os.path.abspath(asked.tasktwin)
    arguments = search(asked.points)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("diamond.yaml", "w") as file:
            file.write(SCENARIO)
        seconds = run([tasktwin, *arguments, "--results", "undisturbed.db"])
        expected = rows("undisturbed.db")
        points = points_in("undisturbed.db")
        print(f"{points} points, one process: {seconds:.1f} s", flush=True)
        seconds = run([tasktwin, *arguments, "--results", "two.db", "--jobs", "2"])
        print(f"two processes: {seconds:.1f} s", flush=True)
        draws = random.Random(asked.seed)
        killed(tasktwin, arguments, "killed.db", sorted(draws.sample(range(1, points), asked.kills)))
        differ = [file for file in ("two.db", "killed.db") if rows(file) != expected]
        may_be_root = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        for ranks in asked.ranks.split(",") if shutil.which("mpirun") else []:
            file = f"ranks-{ranks}.db"
            seconds = run(["mpirun", "--oversubscribe", "-n", ranks, tasktwin, *arguments, "--results", file], env=may_be_root)
            print(f"{ranks} ranks: {points_in(file)} points in {seconds:.1f} s", flush=True)
            differ += [file] if rows(file) != expected else []
        os.chdir("/")
    print("the same rows" if not differ else f"other rows: {', '.join(differ)}")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
