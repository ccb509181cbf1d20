"""How often `compare --baseline` cries wolf: gate_false_alarms.py TASKTWIN [SEEDS] [SCENARIO DESIGNS].

A scenario is held to itself under other seeds, with 1, 5, 10 and 30 runs on either side. Each pair of run counts is refused (exit 2), or has
false alarms (exit 1) in at most 1 of 100 seeds, give or take three standard deviations. Exit 1 where one has more.
"""

import math
import pathlib
import subprocess
import sys
import tempfile

RUNS = (1, 5, 10, 30)
SHARE = 0.01


def main(program, seeds, scenario, designs):
    def compare(*words):
        return subprocess.run([program, "compare", scenario, "--designs", designs, *map(str, words)], capture_output=True, text=True, check=False)

    too_many = 0
    most = SHARE * seeds + 3 * math.sqrt(SHARE * (1 - SHARE) * seeds)
    with tempfile.TemporaryDirectory() as folder:
        for before in RUNS:
            baseline = pathlib.Path(folder) / f"{before}.json"
            baseline.write_text(compare("--seed", 1, "--runs", before, "--format", "json").stdout)
            for now in RUNS:
                codes = []
                for seed in range(100, 100 + seeds):
                    codes.append(compare("--seed", seed, "--runs", now, "--baseline", baseline).returncode)
                    if codes == [2]:
                        break
                alarms = codes.count(1)
                verdict = "refused" if codes == [2] else f"{alarms} of {len(codes)} false alarms"
                wrong = codes != [2] and (alarms > most or set(codes) - {0, 1})
                too_many += bool(wrong)
                print(f"{now:3} runs against a baseline of {before:3}: {verdict}{' – too many' if wrong else ''}", flush=True)
    return 1 if too_many else 0


if __name__ == "__main__":
    arguments = sys.argv[1:] + [None] * 4
    sys.exit(main(arguments[0], int(arguments[1] or 400), arguments[2] or "example", arguments[3] or "shared-queue,central-dispatcher"))
