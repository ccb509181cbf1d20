import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeReport } from 'page/decode';
import { csvLine } from 'page/download';
import { Layout } from 'page/timeline/layout';
import { tasksCsv } from 'page/timeline/tasks_csv';
import { syntheticReport } from '../support/synthetic';

test('fields with commas, quotes and line ends are quoted', () => {
  assert.equal(csvLine(['a', 'b, c', 'd "e"', 'f\ng']), 'a,"b, c","d ""e""","f\ng"\n');
});

test('a row a task and run, with the times of the run', () => {
  const { graph, designs } = decodeReport(syntheticReport({ tasks: 30, cores: 3, lost: 7, kernels: ['a,b', 'c'] })).scenarios[0]!;
  const layout = new Layout();
  const { predicted, measured } = designs[0]!;
  layout.setRuns([
    { design: designs[0]!, run: predicted, measured: false },
    { design: designs[0]!, run: measured!, measured: true },
  ]);
  const lines = tasksCsv(graph, layout.panes).trimEnd().split('\n');
  assert.equal(lines.length, 1 + 2 * 30);
  assert.equal(lines[0], 'design,run,task,name,kernel,core,ready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns');
  const task = predicted.times.started.findIndex((time) => !Number.isNaN(time));
  const fields = lines[1 + task]!.split(',');
  assert.equal(fields.at(-3), String(predicted.times.started[task]));
  assert.equal(lines[31 + task]!.split(',').at(-3), String(measured!.times.started[task]));
  const lost = predicted.times.started.findIndex((time) => Number.isNaN(time));
  assert.ok(lost >= 0 && lines[1 + lost]!.endsWith(',,,,,,'), 'what did not come to be has no times');
});
