import assert from 'node:assert/strict';
import test from 'node:test';
import type { DesignData, PairData, SensitivityRow } from 'page/data';
import { effects, fastest } from 'page/figures/sensitivity';
import { assumption } from 'page/figures/constants';
import { allDesigns, axes, byMeasurement, byPrediction, contradicted, over, separatedPairs } from 'page/figures/standings';
import { syntheticReport } from '../support/synthetic';

const designs = (...means: [string, number, number | null][]): DesignData[] => {
  const names = means.map(([name]) => name);
  return syntheticReport({ tasks: 3, designs: names }).scenarios[0]!.designs.map((design, i) => {
    const [, mean_ns, median_ns] = means[i]!;
    return { ...design, mean_ns, measured: median_ns === null ? null : { ...design.measured!, median_ns } };
  });
};
const pair = (faster: string, slower: string, gain: number, separated = true): PairData => ({
  faster,
  slower,
  gain,
  low: gain,
  high: gain,
  separated,
  sentence: '',
  reasons: [],
  measured_sentence: '',
});

test('designs are ordered by mean and by median, equal ones as they stand', () => {
  const three = designs(['a', 30, 5], ['b', 10, null], ['c', 30, 4]);
  assert.deepEqual(byPrediction(three), [1, 0, 2]);
  assert.deepEqual(byMeasurement(three), [2, 0]);
});

test('nothing is over zero', () => {
  assert.equal(over(5, 0), null);
  assert.equal(over(0, 0), null);
  assert.equal(over(3, 2), 0.5);
});

test('a pair is contradicted where the medians are the other way round, and only where the prediction separates it', () => {
  const two = designs(['a', 10, 9], ['b', 20, 8]);
  assert.ok(contradicted(pair('a', 'b', 0.5), two));
  assert.ok(!contradicted(pair('b', 'a', 0.5), two));
  assert.ok(!contradicted(pair('a', 'b', 0.5, false), two));
  assert.ok(!contradicted(pair('a', 'b', 0.5), designs(['a', 10, 9], ['b', 20, null])));
});

test('pairs with the winner come first, then by the gain', () => {
  const scenario = { ...syntheticReport({ tasks: 3, designs: ['a', 'b', 'c', 'd'] }).scenarios[0]! };
  scenario.predicted_winner = 'b';
  scenario.pairs = [pair('a', 'c', 0.1), pair('b', 'd', 0.6), pair('a', 'd', 0.05, false), pair('b', 'a', 0.2), pair('c', 'd', 0.02)];
  assert.deepEqual(
    separatedPairs(scenario).map(({ faster, slower }) => faster + slower),
    ['ba', 'bd', 'cd', 'ac'],
  );
});

test('an axis differs where any design has another value, or none', () => {
  const [a, b] = designs(['a', 1, null], ['b', 1, null]);
  const found = axes([
    { ...a!, axes: { driver: 'streams', depth: 1, window: 4 } },
    { ...b!, axes: { driver: 'streams', depth: 2 } },
  ]);
  assert.deepEqual(
    found.map(({ name, differs }) => [name, differs]),
    [
      ['driver', false],
      ['depth', true],
      ['window', true],
    ],
  );
  assert.deepEqual(found[2]!.values, ['4', '']);
});

test('what most designs have is common, if two agree', () => {
  const all = designs(['a', 1, null], ['b', 1, null], ['c', 1, null]);
  const common = (...values: number[]): string | null => axes(values.map((depth, i) => ({ ...all[i]!, axes: { depth } })))[0]!.common;
  assert.equal(common(1, 2, 2), '2');
  assert.equal(common(1, 1, 2), '1');
  assert.equal(common(1, 2, 3), null);
});

test('all designs are named once', () => {
  const { scenarios } = syntheticReport({ tasks: 3, designs: ['a', 'b'] }, { tasks: 3, designs: ['b', 'c'] });
  assert.deepEqual(allDesigns(scenarios), ['a', 'b', 'c']);
});

const halved = (constant: string, ...makespans_ns: number[]): SensitivityRow => ({
  constant,
  unit: 'ns',
  value: 8,
  factor: 0.5,
  makespans_ns,
});

test('the constant that moves any design most comes first, and a new winner must be faster than the old one', () => {
  const found = effects([halved('little', 99, 110), halved('turns', 100, 80), halved('ties', 90, 90)], [100, 110]);
  assert.deepEqual(
    found.map((effect) => [effect.row.constant, effect.new_winner]),
    [
      ['turns', 1],
      ['ties', null],
      ['little', null],
    ],
  );
  assert.ok(Math.abs(found[0]!.changes[1]! - (80 / 110 - 1)) < 1e-12 && found[0]!.changes[0] === 0);
  assert.ok(Math.abs(found[2]!.largest - 0.01) < 1e-12);
});

test('a run without length does not change, and of no design none is fastest', () => {
  assert.deepEqual(effects([halved('any', 0)], [0])[0]!.changes, [0]);
  assert.equal(fastest([]), -1);
  assert.equal(fastest([3, 2, 2]), 1);
});

test('a source that says so marks a constant as assumed, or in part', () => {
  assert.equal(assumption('not measured; assumed: twice the hop'), 'whole');
  assert.equal(assumption('not published; assumed: 0'), 'whole');
  assert.equal(assumption('assumed: nobody measured it'), 'whole');
  assert.equal(assumption('programming guide; pages not measured; assumed: 2 MiB'), 'part');
  assert.equal(assumption('ended to started along a chain of 30 us kernels in one stream'), null);
});
