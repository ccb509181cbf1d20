#!/usr/bin/env python3
"""Predicts variants of real programs from a capture of one of them, then measures them: on a GPU, from a bundle's folder.

scripts/gpu_variants.py OUT [--bundle FOLDER] [--seconds N] [--only PATTERN] [--parts captures,times,races,again,probe] [--times FILE]

BUNDLE is what `make bundle` makes, whose folder has this file too: bin/ with tasktwin, stream_pipeline, graph_diamonds and shared_table, lib/ with
libtasktwin-capture.so. Programs in PyTorch are left out, and said to be, where it is not installed. In this order:

1. captures  each source variant is captured (--pass both, five iterations); the other variants are predicted from that one capture by the
             tool's own options and written to OUT/predictions.json, before
2. times     all variants are measured without the tool;
3. races     planted races must be named with both tasks, and none in what is clean;
4. again     `tasktwin run` of the imported sources under the design of each variant, against the real program's time;
5. probe     what a profiler's time of a kernel has around its blocks, and gaps between nodes, with and without a capture.

Results as JSON in OUT/results.json. Each step has a limit of its own; what is left when --seconds are over is left out and said. Without a
GPU, captures that lie in OUT are predicted anew: --parts '' --times results.json
"""
import argparse
import concurrent.futures
import fcntl
import fnmatch
import gzip
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TORCH_VARIANTS = next((folder / "torch_variants.py" for folder in (HERE, HERE.parent / "tests" / "gpu" / "capture")
                       if (folder / "torch_variants.py").exists()), HERE / "torch_variants.py")
ITERATIONS = 5  # captured of each source; odd, so that one is in the middle


class Pair:
    """Variant `to` of `program` from a capture of variant `source`."""

    def __init__(self, program, source, to, simulate, again=None, imports=()):
        self.program, self.source, self.to = program, source, to
        self.simulate = simulate  # options of `tasktwin simulate`
        self.again = again  # a design for `tasktwin run`: a name of the imported scenario, or (name, YAML)
        self.imports = list(imports)

    @property
    def name(self):
        return f"{self.program}.{self.source} -> {self.to}"


def design(name):
    return ["--designs", name]


def streams(count):
    return ["--as", "events", "--streams", str(count)]


def listed(count):
    """The design that streams(count) makes."""
    return (f"on-{count}", f"{{name: on-{count}, from: cuda-streams, streams: {count}, stream_granularity: list_scheduled}}")


HALF = ["--designs", "as-captured", "--scale", "*=0.5"]
CHUNKS = ["--independent", "chunk_*"]
BRANCHES = ["--independent", "branch_*"]
SIDES = ["--independent", "left,right"]


def table_waits(layer):
    """The wait for a whole step is for that layer alone, in each of four steps of twelve layers, a write of the table and six for the batch."""
    waits = [(2 * step + 1, 19 * step + layer - 1) for step in range(4)]
    return [*design("as-captured"), *(word for wait, task in waits for word in ("--wait-at", f"cudaStreamWaitEvent#{wait}=*axpy#{task}"))]


PAIRS = [
    Pair("encoder", "eager", "graph", design("cuda-graph"), "cuda-graph"),
    Pair("encoder", "eager", "half", HALF),
    Pair("branches", "one", "four", streams(4), listed(4), BRANCHES),
    Pair("branches", "four", "one", design("one-stream"), "one-stream"),
    Pair("branches", "four", "graph", design("cuda-graph"), "cuda-graph"),
    Pair("pipeline", "one", "three", streams(3), listed(3), CHUNKS),
    Pair("pipeline", "one", "four", streams(4), listed(4), CHUNKS),
    Pair("pipeline", "one", "half", HALF),
    Pair("pipeline", "three", "one", design("one-stream"), "one-stream"),
    Pair("pipeline", "four", "three", streams(3), listed(3), CHUNKS),
    Pair("diamond", "syncs", "events", ["--as", "events"], "events"),
    Pair("stream_pipeline", "one", "three", streams(3), listed(3), CHUNKS),
    Pair("stream_pipeline", "one", "four", streams(4), listed(4), CHUNKS),
    Pair("stream_pipeline", "one", "half", HALF),
    Pair("stream_pipeline", "three", "one", design("one-stream"), "one-stream"),
    Pair("stream_pipeline", "four", "three", streams(3), listed(3), CHUNKS),
    Pair("graph_diamonds", "one-stream", "events", streams(2), listed(2), SIDES),
    Pair("graph_diamonds", "one-stream", "captured", design("cuda-graph"), "cuda-graph", SIDES),
    Pair("graph_diamonds", "events", "one-stream", design("one-stream"), "one-stream"),
    Pair("graph_diamonds", "events", "captured", design("cuda-graph"), "cuda-graph"),
    Pair("graph_diamonds", "syncs", "events", ["--as", "events"], "events"),
    Pair("shared_table", "barrier", "whole", ["--as", "events"], "events"),
    Pair("shared_table", "whole", "last-read", table_waits(4)),
    Pair("shared_table", "whole", "moved", table_waits(1)),
]

COUNTS = {"one": 1, "three": 3, "four": 4, "half": 1}
ELEMENTS = 1 << 20


def arguments_of(program, variant):
    """Of a program in C++. A kernel of a diamond takes half of what an H100 issues for some 10 µs, so that two fit side by side."""
    if program == "graph_diamonds":
        return ["--as", variant, "--elements", str(1 << 15), "--repeats", "4096"]
    if program == "shared_table":
        return ["--wait", variant]
    elements = ELEMENTS // 2 if variant == "half" else ELEMENTS
    return ["--streams", str(COUNTS[variant]), "--elements", str(elements), "--repeats", "256"]


RACES = [  # program, arguments, kind, what is named first and second; None for a clean program
    ("stream_pipeline", ["--rounds", "3"], None, None, None),
    ("stream_pipeline", ["--rounds", "3", "--missing-wait"], "use_without_wait", "axpy", "add"),
    ("stream_pipeline", ["--rounds", "3", "--use-after-free"], "use_after_free", "free_async", "axpy"),
    ("graph_diamonds", ["--rounds", "3", "--as", "events"], None, None, None),
    ("graph_diamonds", ["--rounds", "3", "--as", "syncs"], None, None, None),
    ("graph_diamonds", ["--rounds", "3", "--as", "captured"], None, None, None),
    ("graph_diamonds", ["--rounds", "3", "--as", "events", "--missing-wait"], "use_without_wait", "axpy", "add"),
    ("graph_diamonds", ["--rounds", "3", "--as", "events", "--use-after-free"], "use_after_free", "free_async", "axpy"),
]

class Failed(Exception):
    pass


UNREADABLE = (Failed, OSError, ValueError, KeyError, IndexError)  # a command that failed, or said something else than it should


class Machine:
    """Runs commands of the bundle, one user of the GPU at a time."""

    def __init__(self, settings):
        self.bundle = pathlib.Path(settings.bundle).resolve()
        self.out = pathlib.Path(settings.out).resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.begun = time.monotonic()
        self.seconds = settings.seconds
        self.lock_file = self.out / "gpu.lock"
        self.lock_file.touch()
        self.tasktwin = str(self.bundle / "bin" / "tasktwin")

    def elapsed(self):
        return time.monotonic() - self.begun

    def left(self):
        return self.seconds - self.elapsed()

    def say(self, text):
        print(f"[{self.elapsed():5.1f} s] {text}", flush=True)

    def run(self, command, limit):
        """What it printed. Throws Failed with its last lines."""
        limit = min(limit, self.left())
        if limit <= 0:
            raise Failed("no time is left")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
            try:
                output, errors = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, errors = process.communicate()
                raise Failed(f"did not end within {limit:.0f} s: {' '.join(command)}\n{tail(output + errors)}") from None
        if process.returncode != 0:
            raise Failed(f"exit code {process.returncode}: {' '.join(command)}\n{tail(output + errors)}")
        return output

    def alone(self):
        """To be held while a program of ours uses the GPU."""
        held = open(self.lock_file, "w")
        fcntl.flock(held, fcntl.LOCK_EX)
        return held

    def program(self, program, variant, extra=()):
        """The command that runs a variant, and measures it."""
        if is_torch(program):
            return [sys.executable, str(TORCH_VARIANTS), f"{program}.{variant}", "--lock", str(self.lock_file), *extra]
        return [str(self.bundle / "bin" / program), *arguments_of(program, variant), "--measured", str(ITERATIONS), *extra]


def tail(text, lines=6):
    return "\n".join("    " + line for line in text.strip().splitlines()[-lines:])


def is_torch(program):
    return program in ("encoder", "branches", "pipeline", "diamond")


def range_of(program):
    return "iteration" if is_torch(program) else "measured"


def total_us(result):
    """Of the last selection of `simulate --format json`: what if, where something is."""
    selection = result[-1] if isinstance(result, list) else result
    first = selection["designs"][0]
    return (first.get("program_ends_ns") or first["makespan_ns"]) / 1e3


# ---------------------------------------------------------------------------------------------------------------- 1. captures

def capture(machine, program, source):
    file = machine.out / f"{program}.{source}.json.gz"
    command = [machine.tasktwin, "capture", "--quiet", "--pass", "both", "--range", range_of(program), "-o", str(file), "--"]
    command += machine.program(program, source)
    if is_torch(program):
        machine.run(command, 90)
    else:
        with machine.alone():
            machine.run(command, 30)
    return file


def read_json(file):
    with gzip.open(file, "rt") as stream:
        return json.load(stream)


def import_range(machine, file, program, number, imports, tag):
    scenario = machine.out / f"{file.name.removesuffix('.json.gz')}.{tag}.{number}.yaml"
    said = machine.run([machine.tasktwin, "scenario", "import", str(file), "--range", f"{range_of(program)}#{number}", "--limit", "1000",
                        "--output", str(scenario), *imports], 30)
    replayed = [line for line in said.splitlines() if line.startswith("replayed")]
    return scenario, replayed[0] if replayed else ""


def simulate(machine, scenario, options):
    return total_us(json.loads(machine.run([machine.tasktwin, "simulate", str(scenario), "--format", "json", "--quiet", *options], 30)))


class Prediction:
    """Of a pair: the median over the captured iterations, and the iteration in the middle."""

    def __init__(self, machine, pair, file):
        self.pair = pair
        tag = pair.to
        sources, targets, self.scenarios, self.replays = [], [], [], []
        for number in range(1, ITERATIONS + 1):
            scenario, replayed = import_range(machine, file, pair.program, number, pair.imports, tag)
            self.scenarios.append(scenario)
            self.replays.append(replayed)
            sources.append(simulate(machine, scenario, design("as-captured")))
            targets.append(simulate(machine, scenario, pair.simulate))
        self.all = targets
        self.source_us = statistics.median(sources)
        self.target_us = statistics.median(targets)
        self.middle = sources.index(self.source_us)

    def paced(self, machine, measured_source_us):
        """The same with the host at the pace at which the source takes what it does without the tool."""
        scenario = self.scenarios[self.middle]
        low, high = 0.05, 4.0
        for _ in range(12):
            factor = (low + high) / 2
            if simulate(machine, scenario, [*design("as-captured"), "--host", f"{factor:.4f}"]) < measured_source_us:
                low = factor
            else:
                high = factor
        pace = ["--host", f"{factor:.4f}"]
        if abs(simulate(machine, scenario, [*design("as-captured"), *pace]) / measured_source_us - 1) > 0.01:
            return None, None  # the source does not take that time at any pace of the host
        return factor, simulate(machine, scenario, [*self.pair.simulate, *pace])


def captures(machine, pairs):
    sources = sorted({(pair.program, pair.source) for pair in pairs}, key=lambda source: not is_torch(source[0]))
    files = {}
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        running = {pool.submit(capture, machine, *source): source for source in sources}
        for done in concurrent.futures.as_completed(running):
            program, source = running[done]
            try:
                file = done.result()
                head = read_json(file)["tasktwin_capture"]
                lost = {what: count for what, count in head["lost"].items() if count}
                machine.say(f"captured {program}.{source}: {head['counts']['calls']} calls, {head['counts']['kernels']} kernels, "
                            f"{head['counts']['copies']} copies, {head['counts']['graph_launches']} graph launches, lost: "
                            f"{lost or 'nothing'}")
                files[program, source] = file
            except UNREADABLE as why:
                machine.say(f"capture of {program}.{source}: {why}")
    return files


def predict(machine, pairs, files):
    predictions = {}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        running = {pool.submit(Prediction, machine, pair, files[pair.program, pair.source]): pair
                   for pair in pairs if (pair.program, pair.source) in files}
        for done in concurrent.futures.as_completed(running):
            try:
                predictions[running[done].name] = done.result()
            except UNREADABLE as why:
                machine.say(f"prediction of {running[done].name}: {why}")
    table = [{"pair": name, "as_captured_us": one.source_us, "predicted_us": one.target_us, "of_each_iteration_us": one.all,
              "replay": one.replays[one.middle]} for name, one in sorted(predictions.items())]
    (machine.out / "predictions.json").write_text(json.dumps(table, indent=1))
    for row in table:
        machine.say(f"predicted {row['pair']}: {row['predicted_us']:.0f} µs ({min(row['of_each_iteration_us']):.0f} to "
                    f"{max(row['of_each_iteration_us']):.0f}; as captured {row['as_captured_us']:.0f}); {row['replay']}")
    return predictions


# ------------------------------------------------------------------------------------------------------------------- 2. times

def measure(machine, pairs):
    """{program.variant: median and quartiles in µs}, without the tool."""
    variants = sorted({(pair.program, variant) for pair in pairs for variant in (pair.source, pair.to)})
    times = {}
    torch = [f"{program}.{variant}" for program, variant in variants if is_torch(program)]
    if torch:
        try:
            said = machine.run([sys.executable, str(TORCH_VARIANTS), *torch, "--ranges", "0", "--lock", str(machine.lock_file)],
                               90)
            for line in said.splitlines():
                if line.startswith("{"):
                    one = json.loads(line)
                    times[one["name"]] = one
        except Failed as why:
            machine.say(f"times of programs in PyTorch: {why}")
    for program, variant in variants:
        if is_torch(program):
            continue
        medians = []
        try:
            for _ in range(3):
                with machine.alone():
                    said = machine.run([str(machine.bundle / "bin" / program), *arguments_of(program, variant), "--rounds", "40"], 30)
                medians.append(float(said.split("round_us")[1].split()[0]))
        except Failed as why:
            machine.say(f"times of {program}.{variant}: {why}")
            continue
        times[f"{program}.{variant}"] = {"median_us": statistics.median(medians), "p25": min(medians), "p75": max(medians),
                                         "rounds": 3 * 40}
    for name, one in sorted(times.items()):
        machine.say(f"measured {name}: {one['median_us']:.0f} µs ({one['p25']:.0f} to {one['p75']:.0f})")
    return times


def hold_against(machine, predictions, times):
    rows = []
    for name, one in sorted(predictions.items()):
        source, target = (times.get(f"{one.pair.program}.{variant}") for variant in (one.pair.source, one.pair.to))
        if not source or not target:
            continue
        differ = source["p75"] < target["p25"] or target["p75"] < source["p25"]
        quicker = target["median_us"] < source["median_us"]
        try:
            factor, paced = one.paced(machine, source["median_us"])
        except Failed as why:
            machine.say(f"{name} at the host's pace: {why}")
            factor, paced = None, None
        rows.append({"pair": name, "predicted_us": one.target_us, "measured_us": target["median_us"], "p25": target["p25"],
                     "p75": target["p75"], "error": one.target_us / target["median_us"] - 1,
                     "source_predicted_us": one.source_us, "source_measured_us": source["median_us"],
                     "source_error": one.source_us / source["median_us"] - 1, "host_factor": factor, "paced_us": paced,
                     "paced_error": paced / target["median_us"] - 1 if paced else None, "differ": differ,
                     "order_right": (one.target_us < one.source_us) == quicker if differ else None})
    return rows


def percent(value):
    return "      " if value is None else f"{100 * value:+5.1f}%"


def print_rows(rows, again):
    print(f"\n{'pair':44} {'predicted':>9} {'measured':>9} {'p25':>7} {'p75':>7} {'error':>6} | {'source':>6} {'pace':>5} "
          f"{'error at pace':>13} | order | {'run again':>9} {'error':>6}")
    for row in rows:
        ran = again.get(row["pair"])
        order = {True: "right", False: "WRONG", None: "alike"}[row["order_right"]]
        rerun = f"{ran:9.0f} {percent(ran / row['measured_us'] - 1)}" if ran else ""
        print(f"{row['pair']:44} {row['predicted_us']:9.0f} {row['measured_us']:9.0f} {row['p25']:7.0f} {row['p75']:7.0f} "
              f"{percent(row['error'])} | {percent(row['source_error'])} {row['host_factor'] or 0:5.2f} "
              f"{percent(row['paced_error']):>13} | {order} | {rerun}")
    for title, key in (("predicted", "error"), ("predicted, host at the source's pace", "paced_error")):
        errors = sorted(abs(row[key]) for row in rows if row[key] is not None)
        if errors:
            print(f"{title}: median error {100 * statistics.median(errors):.1f} %, worst {100 * errors[-1]:.1f} % of {len(errors)}")
    orders = [row["order_right"] for row in rows if row["order_right"] is not None]
    print(f"order right in {sum(orders)} of {len(orders)} pairs that differ")
    errors = sorted(abs(again[row["pair"]] / row["measured_us"] - 1) for row in rows if again.get(row["pair"]))
    if errors:
        print(f"run again: median error {100 * statistics.median(errors):.1f} %, worst {100 * errors[-1]:.1f} % of {len(errors)}")
    sys.stdout.flush()


# ------------------------------------------------------------------------------------------------------------------- 3. races

def races(machine):
    results = []
    for number, (program, arguments, kind, first, second) in enumerate(RACES):
        file = machine.out / f"race.{number}.json.gz"
        try:
            with machine.alone():
                program_file = str(machine.bundle / "bin" / program)
                machine.run([machine.tasktwin, "capture", "--quiet", "-o", str(file), "--", program_file, *arguments], 30)
            found = read_json(file)["tasktwin_capture"]["races"]
        except UNREADABLE as why:
            machine.say(f"races: {program} {' '.join(arguments)}: {why}")
            results.append({"program": program, "arguments": arguments, "right": False})
            continue
        named = [f"{race['kind']}: {race['first']['what']}, {race['second']['what']}" for race in found]
        right = not found if kind is None else any(
            race["kind"] == kind and function(race["first"]["what"]) == first and function(race["second"]["what"]) == second
            for race in found) and all(race["kind"] == kind for race in found)
        results.append({"program": program, "arguments": arguments, "right": right, "named": named})
        machine.say(f"races: {'right' if right else 'WRONG'}: {program} {' '.join(arguments)}: {'; '.join(named) or 'none'}")
    return results


def function(what):
    """ "program::axpy(float const*, float*)" as "axpy"."""
    return what.split("(")[0].split("::")[-1]


# ------------------------------------------------------------------------------------------------------------------- 4. again

def run_again(machine, predictions, times):
    """{pair: µs}, and of each source as captured."""
    ran, rows = {}, []
    by_scenario = {}
    for name, one in predictions.items():
        if one.pair.again:
            by_scenario.setdefault((one.pair.program, one.pair.source, tuple(one.pair.imports)), []).append(one)
    for (program, source, _), several in sorted(by_scenario.items()):
        scenario = several[0].scenarios[several[0].middle]
        text = scenario.read_text()
        names = ["as-captured"]
        for one in several:
            if isinstance(one.pair.again, tuple):
                text += f"  - {one.pair.again[1]}\n"
            names.append(one.pair.again if isinstance(one.pair.again, str) else one.pair.again[0])
        own = scenario.with_suffix(".again.yaml")
        own.write_text(text)
        try:
            with machine.alone():
                said = machine.run([machine.tasktwin, "run", str(own), "--designs", ",".join(dict.fromkeys(names)), "--repeats", "9",
                                    "--format", "json", "--quiet"], 40)
            measured = {one["design"]: one for one in json.loads(said)["designs"]}
        except UNREADABLE as why:
            machine.say(f"again: {program}.{source}: {why}")
            continue
        for one, name in zip([None, *several], names):
            us = measured[name]["makespan_ns"] / 1e3
            real = times.get(f"{program}.{one.pair.to if one else source}")
            row = {"scenario": own.name, "design": name, "again_us": us, "stamped_us": measured[name]["stamped_makespan_ns"] / 1e3,
                   "simulated_us": simulate(machine, own, design(name)), "violations": measured[name]["ordering_violations"],
                   "real_us": real["median_us"] if real else None}
            rows.append(row)
            if one:
                ran[one.pair.name] = us
            machine.say(f"again: {program}.{source} under {name}: {us:.0f} µs (stamped {row['stamped_us']:.0f}, simulated "
                        f"{row['simulated_us']:.0f}, the program itself {row['real_us'] or 0:.0f}, {row['violations']} out of order)")
    return ran, rows


# ------------------------------------------------------------------------------------------------------------------- 5. probe

def probe_scenario(file, count, ns, blocks):
    lines = [f"scenario: {file.stem}", "machine: nvidia-h200", "graph:", "  tasks:"]
    for i in range(count):
        after = f", after: [t{i - 1}]" if i else ""
        lines.append(f"    - {{name: t{i}, time_ns: {ns}, blocks: {blocks}, threads: 128{after}}}")
    lines += ["designs:", "  - {name: stream, from: cuda-streams, stream_granularity: single}", "  - cuda-graph", ""]
    file.write_text("\n".join(lines))


def probe(machine):
    """Chains of kernels that spin: alone, and captured."""
    results = []
    for ns, blocks in ((10000, 1), (10000, 132), (3000, 132)):
        scenario = machine.out / f"probe-{ns}-{blocks}.yaml"
        probe_scenario(scenario, 100, ns, blocks)
        for name in ("stream", "cuda-graph"):
            run = [machine.tasktwin, "run", str(scenario), "--designs", name, "--repeats", "5", "--format", "json", "--quiet"]
            file = machine.out / f"probe-{ns}-{blocks}-{name}.json.gz"
            try:
                with machine.alone():
                    alone = json.loads(machine.run(run, 20))["designs"][0]
                    machine.run([machine.tasktwin, "capture", "--quiet", "-o", str(file), "--", *run], 30)
                events = [event for event in read_json(file)["traceEvents"] if event.get("cat") == "kernel"]
            except UNREADABLE as why:
                machine.say(f"probe {ns} ns, {blocks} blocks, {name}: {why}")
                continue
            events.sort(key=lambda event: event["ts"])
            bodies = [event for event in events if event["dur"] * 1e3 > ns]
            gaps = [b["ts"] - a["ts"] - a["dur"] for a, b in zip(bodies, bodies[1:])]
            row = {"ns": ns, "blocks": blocks, "design": name, "alone_us_a_task": alone["makespan_ns"] / 1e5,
                   "captured_duration_us": statistics.median(event["dur"] for event in bodies) if bodies else None,
                   "captured_gap_us": statistics.median(gaps) if gaps else None}
            results.append(row)
            machine.say(f"probe: {ns} ns, {blocks} blocks, {name}: alone {row['alone_us_a_task']:.3f} µs a task; captured: kernel "
                        f"{row['captured_duration_us'] or 0:.3f} µs, gap {row['captured_gap_us'] or 0:.3f} µs")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--bundle", default=".")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--only", default="*", help="pairs whose names, such as 'encoder.eager -> graph', fit this pattern")
    parser.add_argument("--parts", default="captures,times,races,again,probe")
    parser.add_argument("--times", help="without part 'times': results.json of a run before, to hold predictions of its captures against")
    settings = parser.parse_args()
    machine = Machine(settings)
    parts = settings.parts.split(",")
    pairs = [pair for pair in PAIRS if fnmatch.fnmatch(pair.name, settings.only)]
    if importlib.util.find_spec("torch") is None and {"captures", "times"} & set(parts):
        pairs = [pair for pair in pairs if not is_torch(pair.program)]
        machine.say("PyTorch is not installed: its programs are left out")
    results = {}

    def keep():
        (machine.out / "results.json").write_text(json.dumps(results, indent=1))

    files = {}
    if "captures" in parts:
        files = captures(machine, pairs)
    else:
        found = {(pair.program, pair.source): machine.out / f"{pair.program}.{pair.source}.json.gz" for pair in pairs}
        files = {source: file for source, file in found.items() if file.exists()}
    predictions = predict(machine, pairs, files)
    times, rows, again = {}, [], {}
    if "times" in parts:
        results["times"] = times = measure(machine, pairs)
        keep()
    elif settings.times:
        times = json.loads(pathlib.Path(settings.times).read_text())["times"]
    if times:
        results["pairs"] = rows = hold_against(machine, predictions, times)
        print_rows(rows, again)
        keep()
    if "races" in parts:
        results["races"] = races(machine)
        keep()
    if "again" in parts:
        again, results["again"] = run_again(machine, predictions, times)
        keep()
        print_rows(rows, again)
    if "probe" in parts:
        results["probe"] = probe(machine)
        keep()
    wrong = [race for race in results.get("races", []) if not race["right"]]
    machine.say(f"done; {len(rows)} pairs, {len(wrong)} of {len(results.get('races', []))} race checks wrong; "
                f"see {machine.out}/results.json")


if __name__ == "__main__":
    main()
