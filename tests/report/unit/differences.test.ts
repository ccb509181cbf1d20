import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeReport } from 'page/decode';
import { Run } from 'page/run';
import { differencesOf } from 'page/timeline/colouring';
import { lastPredecessor } from 'page/timeline/waits';
import { syntheticReport } from '../support/synthetic';

/** What was measured is what is predicted, all of it `shift` later. */
function shifted(shift: number) {
  const { graph, designs } = decodeReport(syntheticReport({ tasks: 200 })).scenarios[0]!;
  const measured = new Run(designs[0]!.predicted.data);
  for (const phase of ['ready', 'dispatched', 'received', 'started', 'ended', 'published'] as const)
    measured.times[phase].forEach((at, task, times) => (times[task] = at + shift));
  return { graph, design: { ...designs[0]!, measured } };
}

test('a task that is late because those before it were differs in nothing', () => {
  const { graph, design } = shifted(500);
  const delay = differencesOf('delay', graph, design)!;
  for (let task = 0; task < graph.size; ++task)
    assert.equal(delay[task], lastPredecessor(graph, design.predicted, task) < 0 ? -500 : 0, `task ${task}`);
  assert.ok(differencesOf('body', graph, design)!.every((difference) => difference === 0));
});

test('a body that took longer than predicted differs by that, and no other does', () => {
  const { graph, design } = shifted(0);
  design.measured.times.ended[7]! += 40;
  const body = differencesOf('body', graph, design)!;
  assert.equal(body[7], -40);
  assert.ok(body.every((difference, task) => task === 7 || difference === 0));
});

test('without a measurement there is nothing to differ from', () => {
  const { graph, design } = shifted(0);
  assert.equal(differencesOf('delay', graph, { ...design, measured: null }), null);
});
