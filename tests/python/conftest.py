import os
import subprocess

import pytest

import tasktwin


@pytest.fixture(scope="session")
def machine():
    return tasktwin.load_machine("nvidia-h200")


@pytest.fixture(scope="session")
def chains():
    """30 chains of 10 tasks whose times vary."""
    tasks = 300
    edges = [(i, i + 1) for i in range(tasks - 1) if i % 10 != 9]
    return tasktwin.Graph.from_arrays(edges, count=tasks, time_ns=4000, sigma_ns=500)


@pytest.fixture(scope="session")
def command():
    """Runs tasktwin; gives its exit code, standard output and what stands behind "error: "."""

    def run(*arguments):
        result = subprocess.run(
            [os.environ["TASKTWIN_COMMAND"], *arguments], capture_output=True, text=True, check=False
        )
        return result.returncode, result.stdout, " ".join(result.stderr.removeprefix("error: ").split())

    return run
