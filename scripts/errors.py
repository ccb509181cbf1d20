"""errors.py TASKTWIN: writes python/tasktwin/errors.csv, predictions and measurements of all recordings, as `tasktwin verify --recorded` has them."""

import csv
import importlib.util
import json
import subprocess
import sys
import types
from pathlib import Path


def mechanism_of():
    """The module's own rule, without its compiled part."""
    sys.modules["tasktwin"] = types.ModuleType("tasktwin")
    core = types.ModuleType("tasktwin._core")
    core.Design, core.InputError = object, ValueError
    sys.modules["tasktwin._core"] = core
    spec = importlib.util.spec_from_file_location("tasktwin._intervals", "python/tasktwin/_intervals.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mechanism


def main(command):
    result = subprocess.run([command, "verify", "--recorded", "--format", "json", "--quiet"], stdout=subprocess.PIPE, check=False)
    cases = json.loads(result.stdout)["cases"]  # it exits with 1 where an error is beyond its limit
    mechanism = mechanism_of()
    with open(Path("python/tasktwin/errors.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["machine", "scenario", "design", "mechanism", "predicted_ns", "measured_ns"])
        for case in sorted(cases, key=lambda case: (case["machine"], case["scenario"], case["design"])):
            table.writerow(
                [case["machine"], case["scenario"], case["design"], mechanism(case["resolved_design"]), case["predicted_makespan_ns"], case["measured_makespan_ns"]]
            )


if __name__ == "__main__":
    main(sys.argv[1])
