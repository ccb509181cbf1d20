import assert from 'node:assert/strict';
import test from 'node:test';
import { overlap } from 'page/figures/overlap';
import { randomNumbers } from '../support/synthetic';

type Spans = [number, number][];

function slow(copies: Spans, kernels: Spans, horizon: number) {
  const result = { copies_only: 0, kernels_only: 0, both: 0, neither: 0 };
  for (let moment = 0; moment < horizon; ++moment) {
    const over = (spans: Spans): boolean => spans.some(([begin, end]) => begin <= moment && moment < end);
    ++result[over(copies) ? (over(kernels) ? 'both' : 'copies_only') : over(kernels) ? 'kernels_only' : 'neither'];
  }
  return result;
}

test('each nanosecond counts once, as what runs in it', () => {
  const random = randomNumbers(6);
  for (let round = 0; round < 30; ++round) {
    const spans = (): Spans =>
      Array.from({ length: Math.floor(random() * 8) }, () => {
        const begin = Math.floor(random() * 220) - 10;
        return [begin, begin + Math.floor(random() * 40)];
      });
    const [copies, kernels] = [spans(), spans()];
    assert.deepEqual(overlap(copies, kernels, 200), slow(copies, kernels, 200));
  }
});

test('without a run there is nothing', () =>
  assert.deepEqual(overlap([], [], 0), { copies_only: 0, kernels_only: 0, both: 0, neither: 0 }));
