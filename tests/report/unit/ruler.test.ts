import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeReport } from 'page/decode';
import { shownRows } from 'page/timeline/folded';
import { groupsOf } from 'page/timeline/groups';
import { sumsBetween } from 'page/timeline/ruler';
import { syntheticReport, type Wish } from '../support/synthetic';

const scenarioOf = (wish: Wish) => decodeReport(syntheticReport(wish)).scenarios[0]!;
const all = (): boolean => true;

test('the sums over a range are those that a look at each task gives', () => {
  const { graph, designs } = scenarioOf({ tasks: 300, cores: 5 });
  const { predicted: run } = designs[0]!;
  const { started, ended } = run.times;
  const { names, of } = groupsOf(graph);
  for (const [from, to] of [
    [0, 1],
    [0.2, 0.31],
    [0.5, 0.5001],
    [0.9, 1.4],
  ] as const) {
    const range = { begin: from * run.makespan, end: to * run.makespan };
    for (const shows of [all, (group: number) => group === 1]) {
      const sums = sumsBetween(graph, run, range, shows);
      names.forEach((name, group) => {
        let time = 0;
        let count = 0;
        for (let task = 0; task < graph.size; ++task) {
          const part = Math.min(ended[task]!, range.end) - Math.max(started[task]!, range.begin);
          if (of[task] !== group || !shows(group) || !(part > 0)) continue;
          time += part;
          ++count;
        }
        const found = sums.groups.find((sum) => sum.name === name);
        assert.ok(Math.abs((found?.time ?? 0) - time) < 1e-6 * run.makespan && (found?.count ?? 0) === count, `${name} in ${from} to ${to}`);
      });
      const inside = (times: Float64Array): number =>
        [...times].filter((time, task) => time >= range.begin && time < range.end && shows(of[task]!)).length;
      assert.deepEqual([sums.started, sums.ended], [inside(started), inside(ended)]);
    }
  }
});

test('the whole run holds all of its bodies and steps, and no more core time than there is', () => {
  const { graph, designs } = scenarioOf({ tasks: 200, cores: 3 });
  const { predicted: run } = designs[0]!;
  const sums = sumsBetween(graph, run, { begin: 0, end: 2 * run.makespan }, all);
  const bodies = sums.groups.reduce((sum, { time }) => sum + time, 0);
  assert.ok(Math.abs(sums.held - bodies) < 1e-6 * bodies, 'one body at a time on each core');
  assert.equal(sums.cores, 3 * run.makespan);
  assert.ok(sums.held <= sums.cores);
  const steps = run.steps.reduce((sum, { begin, end }) => sum + end.reduce((time, at, i) => time + at - begin[i]!, 0), 0);
  assert.ok(Math.abs(sums.steps.reduce((sum, { time }) => sum + time, 0) - steps) < 1e-6 * steps);
});

test('neighbouring cores without tasks share a row, and each core knows its own', () => {
  const { designs } = scenarioOf({ tasks: 40, cores: 9 });
  const { predicted: run } = designs[0]!;
  const idle = new Set([2, 3, 4, 7]);
  run.times.core.forEach((core, task) => {
    if (idle.has(core)) run.times.core[task] = 0;
  });
  const { rows, place, folded } = shownRows(run, true);
  assert.deepEqual(
    rows.filter((row) => !row.control).map((row) => row.label.replace(/^\D*/, '')),
    ['0', '1', '2–4 idle', '5', '6', '7', '8'],
  );
  assert.equal(folded, 3);
  run.data.cores.forEach((_, core) => {
    const row = rows[place[core]!]!;
    assert.ok(!row.control && (row.index === core || (row.index === 2 && [3, 4].includes(core))), `core ${core}`);
  });
  const whole = shownRows(run, false);
  assert.deepEqual([whole.rows.length, whole.folded], [run.steps.length + 9, 0]);
});
