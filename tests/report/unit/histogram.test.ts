import assert from 'node:assert/strict';
import test from 'node:test';
import { commonEdges, histogram, kBinsPerDecade, logBin, percentile } from 'page/figures/histogram';
import { randomNumbers } from '../support/synthetic';

const samples = (seed: number, count: number, decades: number): number[] => {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => Math.floor(10 ** (random() * decades)));
};

test('a value lies between the edges of its bin', () => {
  for (const value of [1, 2, 3, 9, 10, 11, 99, 100, 101, 999, 1000, 10_000, 100_000, 1_000_000, 999_999_999, ...samples(1, 500, 9)]) {
    const bin = logBin(value);
    assert.ok(10 ** (bin / kBinsPerDecade) <= value && value < 10 ** ((bin + 1) / kBinsPerDecade), String(value));
  }
});

test('a histogram counts what lies between its edges', () => {
  for (const values of [samples(2, 300, 5), samples(3, 50, 1), [0, 0, 3, 4000], [0], [1], [1000], [-4, 7]]) {
    const { edges, counts } = histogram(values, commonEdges([values]));
    const slow = counts.map(
      (_, bin) => values.filter((value) => edges[bin]! <= Math.max(0, value) && Math.max(0, value) < edges[bin + 1]!).length,
    );
    assert.deepEqual(counts, slow);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      values.length,
    );
  }
});

test('several samples share edges that hold them all', () => {
  const [one, other] = [samples(4, 20, 2), samples(5, 20, 6)];
  const edges = commonEdges([one, other, []]);
  assert.ok(edges[0]! <= Math.min(...one, ...other) && edges.at(-1)! > Math.max(...one, ...other));
  assert.deepEqual(
    edges,
    [...edges].sort((a, b) => a - b),
  );
  assert.equal(
    histogram(one, edges).counts.reduce((sum, count) => sum + count, 0),
    one.length,
  );
});

test('without a value there is no edge and no count', () => {
  assert.deepEqual(commonEdges([[], []]), []);
  assert.deepEqual(histogram([], []).counts, []);
});

test('a percentile is the least value that so many are no greater than', () => {
  for (const count of [1, 2, 3, 10, 20, 99, 100, 101]) {
    const values = samples(count, count, 4).sort((a, b) => a - b);
    for (const p of [0.5, 0.95, 0.99, 1]) {
      const slow = values.find((value) => values.filter((other) => other <= value).length >= p * count);
      assert.equal(percentile(values, p), slow);
    }
  }
  assert.equal(percentile([], 0.5), null);
});
