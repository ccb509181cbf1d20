"""Throws inputs that are wrong, odd or one step from right at the command line.

    hostile_inputs.py TASKTWIN [--inputs N] [--seconds S] [--seed S] [--keep FOLDER] [--doors NAME,...]

Files of every kind that tasktwin reads are varied by byte, number, word, line and item, and given to the command that reads them; then each
key of its own formats is misspelt once. Wrong is: an end by a signal, one beyond the time limit, an exit code but 0, 1 and 2 (3 is a fault of
tasktwin, such as a bound above a makespan), code 2 without a message that begins with "error: ", a message with bytes that a terminal
obeys, and a misspelt key of which nothing is said. Ends with the line "N passed, N failed"; files that failed are kept in FOLDER.
"""
import argparse
import collections
import concurrent.futures
import gzip
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 60
NUMBERS = ["0", "1", "2", "3", "7", "16", "33", "64", "255", "1000", "65536", "-1", "0.5", "1e3", "1e-3", "1e300", "1e400", "2147483648",
           "4294967296", "9007199254740993", "9223372036854775807", "18446744073709551616", "nan", "null", "true", '""', "[]", "{}"]
IMPORTERS = ["capture", "kineto", "nsys", "chakra", "cuda-graph-dot", "dot", "wfformat", "stg", "starpu", "mpk", "pipeline", "csv", "json"]

# A door: the command, FILE for the file that is varied; the files to start from; whether every key that the file may have is tasktwin's own.
Door = collections.namedtuple("Door", "name command files own")
Input = collections.namedtuple("Input", "door name data extra told")  # told: of what its message must say something


def texts(*patterns):
    return [(path.name, path.read_bytes()) for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def imports():
    """As the fuzzer has them: a letter for the format, a capital where a second file, of times, stands behind a byte 0."""
    files = []
    for name, data in texts("tests/fuzz/corpora/import/*"):
        text, _, times = data[1:].partition(b"\0") if data[:1].isupper() else (data[1:], b"", b"")
        files.append((IMPORTERS[data[:1].lower()[0] - ord("a")], text, times))
    return files


def written(tasktwin, *command):
    """What a command prints; nothing where it does not run."""
    run = subprocess.run([tasktwin, *command], capture_output=True, cwd=ROOT)
    return run.stdout if run.returncode == 0 else b""


def doors(tasktwin):
    simulate = ["simulate", "FILE", "--format", "json"]
    all_doors = [
        Door("scenario", simulate, texts("tests/fuzz/corpora/scenario/*.yaml"), True),
        Door("validate", ["scenario", "validate", "FILE"], texts("tests/fuzz/corpora/scenario/*.yaml", "tests/data/cases/*.yaml"), True),
        Door("cases", simulate, texts("tests/data/cases/*.yaml"), True),
        Door("explain", ["explain", "FILE"], texts("tests/data/cases/waves.yaml", "tests/data/cases/apart-phases.yaml"), False),
        Door("shipped", ["scenario", "validate", "FILE"], texts("scenarios/*.yaml"), False),
        Door("machine", ["machine", "validate", "FILE"], texts("tests/fuzz/corpora/machine/*.yaml", "scenarios/machines/*x2.yaml"), True),
        Door("on-machine", ["simulate", "example", "--machine", "FILE", "--designs", "central-dispatcher,cuda-streams"],
             texts("scenarios/machines/nvidia-h200.yaml", "scenarios/machines/nvidia-h100.yaml"), True),
        Door("effects", ["scenario", "import", "--as", "kineto", "KINETO", "--effects", "FILE", "--output", "OUT"],
             texts("tests/fuzz/corpora/effects/*"), True),
    ]
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder, "plan.json")
        written(tasktwin, "simulate", "example", "--designs", "static-queues", "--plan-out", str(plan))
        if plan.exists():
            all_doors.append(Door("plan", ["simulate", "example", "--plan", "FILE"], [("plan.json", plan.read_bytes())], True))
    for name, data in texts("tests/fuzz/corpora/plan/*"):
        all_doors.append(Door("plan-" + name.split(".")[0], ["simulate", "example", "--plan", "FILE"], [(name, data)], False))
    baseline = written(tasktwin, "compare", "example", "--designs", "static-queues,shared-queue", "--runs", "5", "--format", "json")
    if baseline:
        all_doors.append(Door("baseline", ["compare", "example", "--designs", "static-queues,shared-queue", "--runs", "5", "--baseline", "FILE"],
                              [("baseline.json", baseline)], False))
    for number, (name, text, times) in enumerate(imports()):
        command = ["scenario", "import", "--as", name, "FILE", "--output", "OUT"] + (["--with", "TIMES"] if times else [])
        all_doors.append(Door(f"{name}-{number}", command, [(name, text)] + ([("times", times)] if times else []), name == "capture"))
    others = ROOT / "tests/data"
    for name, path in [("kineto", "others/hta-event-wait.json.gz"), ("chakra", "others/chakra-small.json"), ("nsys", "others/nsys-saxpy.sqlite"),
                       ("dot", "others/daggen-100.dot"), ("wfformat", "forms/workflow.json")]:
        data = (others / path).read_bytes()
        all_doors.append(Door("real-" + name, ["scenario", "import", "--as", name, "FILE", "--output", "OUT"],
                              [(path, gzip.decompress(data) if path.endswith(".gz") else data)], False))
    return all_doors


def parts(text, pattern):
    return list(re.finditer(pattern, text))


def replaced(text, part, other):
    return text[:part.start()] + other + text[part.end():]


def varied_once(draw, data):
    kind = draw.randrange(8)
    text = data.decode("latin-1")
    if kind == 0 and text:
        at = draw.randrange(len(text))
        return (text[:at] + chr(draw.randrange(256)) + text[at + draw.randrange(2):]).encode("latin-1")
    if kind in (1, 2):
        numbers = parts(text, r"-?\d+(\.\d+)?")
        if numbers:
            one = draw.choice(numbers)
            near = str(int(float(one.group())) + draw.randrange(-2, 3))
            return replaced(text, one, draw.choice(NUMBERS + [near, near, one.group() + "0"])).encode("latin-1")
    if kind in (3, 4):
        words = parts(text, r"[A-Za-z_][A-Za-z_-]*")
        if len(words) > 1:
            return replaced(text, draw.choice(words), draw.choice(words).group()).encode("latin-1")
    if kind == 5:
        lines = text.splitlines(keepends=True)
        if len(lines) > 1:
            one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
            how = draw.randrange(3)
            if how == 0:
                lines.insert(other, lines[one])
            elif how == 1:
                del lines[one]
            else:
                lines[one], lines[other] = lines[other], lines[one]
            return "".join(lines).encode("latin-1")
    if kind == 6:
        items = parts(text, r"[^,\[\]{}()\n]+")
        if len(items) > 1:
            one, other = draw.choice(items), draw.choice(items)
            return replaced(text, one, draw.choice(["", other.group(), one.group() + "," + one.group()])).encode("latin-1")
    cut = draw.randrange(len(text) + 1)
    return text[:cut].encode("latin-1") if draw.randrange(4) == 0 else (text + text[cut:]).encode("latin-1")


def varied(draw, data):
    for _ in range(1 + (draw.randrange(3) == 0)):
        data = varied_once(draw, data)
    return data


def misspelt(door):
    """The file once for each key that it has, with that key's last letter twice. Names that a file may choose freely are no keys of the format."""
    for name, data in door.files:
        text = data.decode("latin-1")
        keys = parts(text, r'(?<=")[a-z][A-Za-z_ ]*[a-z](?="\s*:)') if text.lstrip().startswith("{") else \
            parts(text, r"(?m)(?:(?<=^)|(?<=\s)|(?<=[{,]))[a-z][a-z_]*[a-z](?=:(\s|$))")
        for key in keys:
            if not in_comment(text, key.start()):
                yield name, replaced(text, key, key.group() + key.group()[-1]).encode("latin-1"), key.group() + key.group()[-1]


def in_comment(text, at):
    line = text[text.rfind("\n", 0, at) + 1:at]
    return "#" in line or (not text.lstrip().startswith("{") and line.count('"') % 2 == 1)


def run(tasktwin, one, keep):
    """What is wrong with how an input ended; None where nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "file" + pathlib.Path(one.name).suffix.replace(".gz", ""))
        pathlib.Path(file).write_bytes(one.data)
        extra = {"FILE": file, "OUT": os.path.join(folder, "out.yaml")}
        for name, data in one.extra.items():
            extra[name] = os.path.join(folder, name.lower())
            pathlib.Path(extra[name]).write_bytes(data)
        command = [tasktwin] + [extra.get(word, word) for word in one.door.command]
        try:
            ended = subprocess.run(command, capture_output=True, timeout=LIMIT_S, cwd=ROOT,
                                   env={**os.environ, "TASKTWIN_DATA": str(ROOT / "tests/fuzz/data")} if one.door.name in ("scenario", "validate") else None)
        except subprocess.TimeoutExpired:
            return fault(one, keep, f"has not ended within {LIMIT_S} s", b"")
        said = ended.stderr
        if ended.returncode < 0:
            return fault(one, keep, f"ended by signal {-ended.returncode}", said)
        if ended.returncode not in (0, 1, 2):
            return fault(one, keep, f"ended with code {ended.returncode}", said)
        if ended.returncode == 2 and b"error: " not in said:
            return fault(one, keep, "was refused without a message", said)
        if any(byte < 32 and byte not in (9, 10) or byte == 127 for byte in said + ended.stdout):
            return fault(one, keep, "made a terminal obey", said)
        if one.told and ended.returncode == 0 and one.told.encode() not in said + ended.stdout:
            return fault(one, keep, f"was let pass without a word of '{one.told}'", said)
        return None


def fault(one, keep, why, said):
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        name = f"{one.door.name}-{hashlib.sha1(one.data).hexdigest()[:8]}"
        (keep / name).write_bytes(one.data)
        why += f" ({keep / name})"
    return f"{one.door.name}: {' '.join(one.door.command)}: {why}\n  {said[:400].decode('utf-8', 'replace').strip()}"


def inputs(all_doors, count, seed):
    kineto = next(text for name, text, _ in imports() if name == "kineto")
    for door in all_doors:
        extra = {"KINETO": kineto} if door.name == "effects" else {}
        rest = dict(door.files[1:]) if door.name.startswith("dot") else {}
        if rest:
            extra = {"TIMES": rest["times"]}
        if door.own:
            for name, data, key in misspelt(door):
                yield Input(door, name, data, extra, key)
        draw = random.Random(f"{seed} {door.name}")
        for _ in range(count // len(all_doors) + 1):
            name, data = draw.choice(door.files[:1] if rest else door.files)
            yield Input(door, name, varied(draw, data), extra, "")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tasktwin")
    options.add_argument("--inputs", type=int, default=10_000)
    options.add_argument("--seconds", type=float, default=float("inf"), help="after which no further input is tried")
    options.add_argument("--seed", default="1")
    options.add_argument("--keep", type=pathlib.Path)
    options.add_argument("--doors", default="")
    given = options.parse_args()
    tasktwin = shutil.which(os.path.abspath(given.tasktwin))
    if tasktwin is None:
        sys.exit(f"{given.tasktwin}: no such program")
    all_doors = [door for door in doors(tasktwin) if not given.doors or door.name in given.doors.split(",")]
    tried = collections.Counter()
    failed = 0
    drawn = list(inputs(all_doors, given.inputs, given.seed))
    random.Random(given.seed).shuffle(drawn)
    until = time.monotonic() + given.seconds

    def tried_in_time(one):
        return (one, run(tasktwin, one, given.keep)) if time.monotonic() < until else (None, None)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for one, wrong in pool.map(tried_in_time, drawn):
            if one is None:
                continue
            tried[one.door.name] += 1
            if wrong:
                failed += 1
                print(wrong, flush=True)
    print(", ".join(f"{name} {count}" for name, count in tried.items()))
    print(f"{sum(tried.values()) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
