"""errors.py TASKTWIN: writes python/tasktwin/errors.csv, predictions and measurements of all recordings, as `tasktwin verify --recorded` has them,
and models/bounds/learnt_errors.hpp, what intervals are learnt of it."""

import csv
import importlib.util
import json
import subprocess
import sys
import types
from pathlib import Path


HEADER = """#pragma once

#include <array>
#include <string_view>

namespace tasktwin {

/// Of a mechanism's recordings: the half-width of 95 % intervals, of the logarithm of measured over predicted, and how many they are.
struct LearntError {
  std::string_view mechanism;
  double half_width;
  int cases;
};

// Written by scripts/errors.py, of python/tasktwin/errors.csv.
inline constexpr std::array kLearntErrors{
ROWS};

}  // namespace tasktwin
"""


def intervals():
    """The module's own rules, without its compiled part."""
    package = sys.modules["tasktwin"] = types.ModuleType("tasktwin")
    package.__path__ = [str(Path(__file__).parent.parent / "python" / "tasktwin")]
    core = types.ModuleType("tasktwin._core")
    core.Design, core.InputError = object, ValueError
    sys.modules["tasktwin._core"] = core
    spec = importlib.util.spec_from_file_location("tasktwin._intervals", "python/tasktwin/_intervals.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(command):
    result = subprocess.run([command, "verify", "--recorded", "--format", "json", "--quiet"], stdout=subprocess.PIPE, check=False)
    cases = json.loads(result.stdout)["cases"]  # it exits with 1 where an error is beyond its limit
    module = intervals()
    with open(Path("python/tasktwin/errors.csv"), "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["machine", "scenario", "design", "mechanism", "predicted_ns", "measured_ns"])
        for case in sorted(cases, key=lambda case: (case["machine"], case["scenario"], case["design"])):
            table.writerow(
                [case["machine"], case["scenario"], case["design"], module.mechanism(case["resolved_design"]), case["predicted_makespan_ns"], case["measured_makespan_ns"]]
            )
    with open("models/bounds/learnt_errors.hpp", "w") as header:
        header.write(learnt_header(module))


def learnt_header(module):
    """Of the table as it stands."""
    learnt = module.ErrorIntervals(module.read_errors())
    return HEADER.replace("ROWS", "".join(f'    LearntError{{"{name}", {half:.17g}, {cases}}},\n' for name, (half, cases) in sorted(learnt.learnt.items())))


if __name__ == "__main__":
    main(sys.argv[1])
