import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeReport } from 'page/decode';
import { syntheticReport } from '../support/synthetic';

test('a run decodes into times that follow each other, and lost tasks into NaN', () => {
  const report = decodeReport(syntheticReport({ lost: 7 }));
  const { predicted } = report.scenarios[0]!.designs[0]!;
  const { times } = predicted;
  let last = 0;
  for (let task = 0; task < times.started.length; ++task) {
    if (task % 7 === 6) {
      assert.ok(Number.isNaN(times.started[task]) && Number.isNaN(times.ready[task]) && times.core[task] === -1);
      continue;
    }
    const phases = [times.ready, times.dispatched, times.received, times.started, times.ended, times.published].map(
      (phase) => phase[task]!,
    );
    assert.deepEqual(
      phases,
      [...phases].sort((a, b) => a - b),
    );
    last = Math.max(last, times.published[task]!);
  }
  assert.equal(last, predicted.makespan);
});

test('successors are the predecessors turned round', () => {
  const { graph } = decodeReport(syntheticReport({ tasks: 400 })).scenarios[0]!;
  const edges = (rows: { start: Uint32Array; task: Uint32Array }, forward: boolean): string[] => {
    const found: string[] = [];
    for (let task = 0; task < graph.size; ++task) {
      for (const other of rows.task.subarray(rows.start[task], rows.start[task + 1]))
        found.push(forward ? `${task}>${other}` : `${other}>${task}`);
    }
    return found.sort();
  };
  assert.ok(graph.edgeCount > 400);
  assert.deepEqual(edges(graph.successors, true), edges(graph.predecessors, false));
});

test('the critical path runs from 0 to the makespan', () => {
  const { predicted } = decodeReport(syntheticReport()).scenarios[0]!.designs[0]!;
  const { path } = predicted;
  assert.equal(path.begin[0], 0);
  assert.equal(path.end.at(-1), predicted.makespan);
});

test('steps of control cores are disjoint and ascending', () => {
  const { predicted } = decodeReport(syntheticReport()).scenarios[0]!.designs[0]!;
  assert.equal(predicted.steps.length, 2);
  for (const { begin, end } of predicted.steps) {
    for (let i = 1; i < begin.length; ++i) assert.ok(begin[i]! >= end[i - 1]!);
  }
});
