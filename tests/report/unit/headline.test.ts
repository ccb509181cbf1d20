import assert from 'node:assert/strict';
import test from 'node:test';
import { headline } from 'page/sections/headline';
import { syntheticReport } from '../support/synthetic';

const one = () => {
  const scenario = syntheticReport({ tasks: 3, designs: ['cuda-graph'] }).scenarios[0]!;
  return { ...scenario, designs: scenario.designs.map((design) => ({ ...design, mean_ns: 300_000, measured: null })) };
};

/** With plain blanks, and none between thousands. */
const plain = (text: string): string => text.replace(/(?<=\d)\s(?=\d)/gu, '').replace(/\s/gu, ' ');

test('a design alone is told by itself', () => assert.ok(plain(headline(one())).startsWith('cuda-graph alone: 300.0 µs predicted.')));

test('what a rerun measured is no measurement of a design', () => {
  const rerun = { device: 'a card', date: '', command: [], program_us: null, own_memory: false, schedules: [] };
  const said = plain(headline({ ...one(), rerun }));
  assert.ok(said.endsWith('No design was measured; a rerun of the program was, see below.'), said);
});

test('what is changed of a captured program is held against the program', () => {
  const said = (makespan_ns: number) =>
    plain(headline({ ...one(), what_if: { changes: ['as graph'], baseline: { design: 'as-captured', makespan_ns }, sentences: [] } }));
  assert.ok(
    said(6_000_000).startsWith('cuda-graph is predicted to take 300.0 µs, 95.0 % less than as-captured, the program as it is (6000.0 µs).'),
    said(6_000_000),
  );
  assert.ok(said(150_000).includes('100.0 % more than as-captured'), said(150_000));
});
