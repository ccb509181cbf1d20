import assert from 'node:assert/strict';
import test from 'node:test';
import { aligned } from 'page/figures/curves';

const curve = (x: number[], y: number[]) => ({ name: 'c', style: 0, predicted: false, x, y });

test('curves share one ascending axis, with gaps where they have no point', () => {
  assert.deepEqual(aligned([curve([20, 1], [50, 5]), curve([3, 20], [7, 8])]), [
    [1, 3, 20],
    [5, null, 50],
    [null, 7, 8],
  ]);
});

test('no curve leaves an empty axis', () => {
  assert.deepEqual(aligned([]), [[]]);
  assert.deepEqual(aligned([curve([], [])]), [[], []]);
});
