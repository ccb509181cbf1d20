// What the sections compute from whole runs.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Run } from 'page/decode';
import { decodeReport } from 'page/decode';
import { delays, delaysOf } from 'page/figures/delays';
import { meanBusy } from 'page/figures/bins';
import { longestSegments } from 'page/figures/path';
import { quantities } from 'page/figures/quantities';
import { coreSpans, controlSpans, taskSpans } from 'page/figures/spans';
import { type Wish, syntheticReport } from '../support/synthetic';

const runOf = (wish: Wish): Run => decodeReport(syntheticReport(wish)).scenarios[0]!.designs[0]!.predicted;

test('busy core time in the bins is the busy time of the account', () => {
  for (const wish of [{}, { lost: 5 }, { tasks: 1 }]) {
    const run = runOf(wish);
    const { begin, end } = coreSpans(run);
    const bins = 37;
    const busy = meanBusy(begin, end, run.makespan, bins).reduce((sum, mean) => sum + (mean * run.makespan) / bins, 0);
    assert.ok(Math.abs(busy - run.data.busy_ns) < 1e-3, `${busy} for ${run.data.busy_ns}`);
  }
});

test('a task in parts is busy where its parts are', () => {
  const data = syntheticReport({ tasks: 2, lost: 0 });
  const raw = data.scenarios[0]!.designs[0]!.predicted;
  raw.parts = { task_delta: [1, 0], core: [0, 1], started_after: [0, 5], duration: [10, 20], publish: [null, null] };
  const run = decodeReport(data).scenarios[0]!.designs[0]!.predicted;
  const started = run.times.started;
  const { begin, end } = coreSpans(run);
  assert.deepEqual([...begin], [started[0]!, started[1]!, started[1]! + 5]);
  assert.deepEqual([...end], [run.times.ended[0]!, started[1]! + 10, started[1]! + 25]);
});

test('control cores that wait are not busy', () => {
  const data = syntheticReport({});
  const raw = data.scenarios[0]!.designs[0]!.predicted;
  raw.step_kinds = ['dispatch', 'wait: cudaDeviceSynchronize'];
  raw.steps = [{ gap: [5, 2, 1], duration: [10, 20, 4], kind: [0, 1, 0] }];
  const { begin, end } = controlSpans(decodeReport(data).scenarios[0]!.designs[0]!.predicted);
  assert.deepEqual([...begin], [5, 38]);
  assert.deepEqual([...end], [15, 42]);
});

test('delays are those of tasks of which both moments were seen, in ascending order', () => {
  const run = runOf({ lost: 3 });
  for (const delay of delays) {
    const found = delaysOf(run.times, delay);
    const slow = Array.from(run.times.started, (_, task) => run.times[delay.to][task]! - run.times[delay.from][task]!).filter(
      (value) => !Number.isNaN(value),
    );
    assert.ok(slow.length > 0 && slow.length < run.times.started.length);
    assert.deepEqual(
      [...found],
      slow.sort((a, b) => a - b),
    );
  }
});

test('the longest stretches come first, as long as there are any', () => {
  const { path } = runOf({});
  const lengths = Array.from(path.end, (end, i) => end - path.begin[i]!).sort((a, b) => b - a);
  assert.deepEqual(
    longestSegments(path, 5).map((segment) => segment.end - segment.begin),
    lengths.slice(0, 5),
  );
  assert.equal(longestSegments(path, 1e6).length, lengths.filter((length) => length > 0).length);
  const empty = { begin: new Float64Array(), end: new Float64Array(), cause: new Int32Array(), task: new Int32Array() };
  assert.deepEqual(longestSegments(empty, 3), []);
});

test('spans of operations leave out tasks that did not run', () => {
  const report = decodeReport(syntheticReport({ tasks: 40, copies: 4, lost: 5 }));
  const { graph, designs } = report.scenarios[0]!;
  const { times } = designs[0]!.predicted;
  const copies = taskSpans(designs[0]!.predicted, graph.data.operation, (which) => graph.data.operations[which]!.startsWith('copy_'));
  const expected = graph.names.flatMap((_, task) => (task % 4 === 0 && task % 5 !== 4 ? [[times.started[task], times.ended[task]]] : []));
  assert.deepEqual(copies, expected);
});

test('no quantity of any run is NaN, and the most is no less than the mean', () => {
  for (const wish of [{}, { tasks: 1 }, { lost: 1 }, { controlCores: 0 }]) {
    const run = runOf(wish);
    for (const quantity of quantities.filter((one) => one.observed(run))) {
      const { mean, most } = quantity.summary(run);
      assert.ok(mean >= 0 && most >= mean - 1e-9, `${quantity.name}: ${mean}, ${most}`);
      for (const line of quantity.lines(run, run.makespan, 50)) assert.ok(line.values.every((value) => value >= 0 && value <= most + 1e-9));
    }
  }
});
