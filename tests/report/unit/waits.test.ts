import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeReport } from 'page/decode';
import { Run } from 'page/run';
import { busyBetween, coreName, neighbour } from 'page/timeline/rows';
import { finished, lastPredecessor, phases, reasons } from 'page/timeline/waits';
import { syntheticReport } from '../support/synthetic';

const { graph, designs } = decodeReport(syntheticReport({ tasks: 300, lost: 13 })).scenarios[0]!;
const run = designs[0]!.predicted;

test('the last predecessor is the one that finished last', () => {
  for (let task = 0; task < graph.size; ++task) {
    let last = -1;
    for (let edge = graph.predecessors.start[task]!; edge < graph.predecessors.start[task + 1]!; ++edge) {
      const before = graph.predecessors.task[edge]!;
      if (!Number.isNaN(finished(run, before)) && (last < 0 || finished(run, before) > finished(run, last))) last = before;
    }
    assert.equal(lastPredecessor(graph, run, task), last);
  }
});

test('phases after the first add up to the time from ready to published', () => {
  const seen = phases(run, 100);
  assert.deepEqual(
    seen.map(({ name }) => name),
    ['ready', 'dispatched', 'received', 'started', 'ended', 'published'],
  );
  assert.ok(Number.isNaN(seen[0]!.after));
  assert.equal(
    seen.slice(1).reduce((sum, { after }) => sum + after, 0),
    seen[5]!.at - seen[0]!.at,
  );
});

test('neighbours on a core are those that started just before and after', () => {
  const { times } = run;
  for (let task = 0; task < graph.size; ++task) {
    if (Number.isNaN(times.started[task]!)) continue;
    const same = [...times.core.keys()].filter((other) => times.core[other] === times.core[task]);
    same.sort((a, b) => times.started[a]! - times.started[b]!);
    const at = same.indexOf(task);
    assert.equal(neighbour(run, task, -1), same[at - 1] ?? -1);
    assert.equal(neighbour(run, task, 1), same[at + 1] ?? -1);
  }
});

test('the reasons name the last predecessor and the core that was busy, or say that a task did not come to be', () => {
  const said = reasons(graph, run, 100);
  assert.ok(said[0]!.startsWith(`Its last predecessor was ${graph.names[lastPredecessor(graph, run, 100)]!}`), said[0]);
  assert.match(said.join(' '), /on its way to the core/);
  assert.deepEqual(reasons(graph, run, 0)[0], 'It waits for no other task.');
  assert.deepEqual(reasons(graph, run, 12), ['It did not come to be in this run.']);
  for (let task = 0; task < graph.size; ++task) assert.doesNotMatch(reasons(graph, run, task).join(' '), /NaN|undefined|–/);
});

test('a core is busy as long as its tasks hold it, whatever part of the time is asked for', () => {
  const { times } = run;
  for (const [since, until] of [
    [0, 5000],
    [12_345, 12_400],
    [20_000, 90_000],
    [50_000, 50_001],
  ] as const) {
    for (const core of [0, 5, 11]) {
      const busy = times.core.reduce((sum, other, task) => {
        const share = Math.min(until, times.published[task]!) - Math.max(since, times.started[task]!);
        return other === core && share > 0 ? sum + share : sum;
      }, 0);
      assert.equal(busyBetween(run, core, since, until), busy);
    }
  }
});

test('of several workers a core a row says which of them it is', () => {
  const cores = new Array<string>(6).fill('sm');
  const named = (workers: number, core: number): string =>
    coreName(new Run({ ...run.data, cores, core_devices: [], workers_per_core: workers }), core);
  assert.equal(named(1, 4), 'core 4');
  assert.deepEqual(
    cores.map((_, core) => named(3, core)),
    ['core 0 worker 0', 'core 1 worker 0', 'core 0 worker 1', 'core 1 worker 1', 'core 0 worker 2', 'core 1 worker 2'],
  );
});
