import assert from 'node:assert/strict';
import test from 'node:test';
import { binMiddles, highest, meanBusy, meanLevel, mostAtOnce } from 'page/figures/bins';
import { randomNumbers } from '../support/synthetic';

const near = (actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 1e-9): void => {
  assert.equal(actual.length, expected.length);
  for (let i = 0; i < expected.length; ++i)
    assert.ok(Math.abs(actual[i]! - expected[i]!) <= tolerance, `bin ${i}: ${actual[i]} for ${expected[i]}`);
};

test('busy cores a bin are what each span overlaps it by', () => {
  const random = randomNumbers(1);
  for (const [count, horizon, bins] of [
    [40, 1000, 7],
    [200, 977, 240],
    [1, 3, 10],
    [30, 50, 1],
  ] as const) {
    const begin = Array.from({ length: count }, () => Math.floor(random() * horizon * 1.2) - Math.floor(horizon / 10));
    const end = begin.map((from) => from + Math.floor(random() * horizon * 0.4));
    const slow = Array.from({ length: bins }, (_, bin) => {
      const [from, to] = [(bin * horizon) / bins, ((bin + 1) * horizon) / bins];
      const busy = begin.reduce((sum, start, i) => sum + Math.max(0, Math.min(end[i]!, to) - Math.max(start, from)), 0);
      return busy / (to - from);
    });
    near(meanBusy(begin, end, horizon, bins), slow);
  }
});

test('a run without length has nothing in its bins', () => {
  near(meanBusy([0], [0], 0, 4), [0, 0, 0, 0]);
  near(meanLevel([0], [5], 0, 4), [0, 0, 0, 0]);
});

test('the mean level a bin is the mean of the levels at each nanosecond', () => {
  const random = randomNumbers(2);
  for (const [samples, horizon, bins] of [
    [30, 120, 8],
    [3, 60, 60],
    [100, 90, 5],
    [0, 10, 2],
  ] as const) {
    const time = Array.from({ length: samples }, () => Math.floor(random() * horizon)).sort((a, b) => a - b);
    const level = time.map(() => Math.floor(random() * 20));
    const at = (moment: number): number => level[time.filter((change) => change <= moment).length - 1] ?? 0;
    const width = horizon / bins;
    const slow = Array.from({ length: bins }, (_, bin) => {
      let sum = 0;
      for (let step = 0; step < width * 2; ++step) sum += at(bin * width + step / 2);
      return sum / (width * 2);
    });
    near(meanLevel(time, level, horizon, bins), slow);
  }
});

test('bins lie side by side', () => near(binMiddles(100, 4), [12.5, 37.5, 62.5, 87.5]));

test('the highest level is the first of the highest', () => {
  assert.equal(highest([], []), null);
  assert.deepEqual(highest([0, 4, 9, 12], [1, 7, 3, 7]), { time: 4, level: 7 });
});

test('the most spans at once are found by looking at each begin', () => {
  const random = randomNumbers(3);
  for (let round = 0; round < 20; ++round) {
    const begin = Array.from({ length: 30 }, () => Math.floor(random() * 60));
    const end = begin.map((from) => from + 1 + Math.floor(random() * 12));
    const over = (moment: number): number => begin.filter((from, i) => from <= moment && moment < end[i]!).length;
    const most = Math.max(...begin.map(over));
    const first = [...begin].sort((a, b) => a - b).find((moment) => over(moment) === most)!;
    assert.deepEqual(mostAtOnce(begin, end), { count: most, time: first });
  }
  assert.deepEqual(mostAtOnce([], []), { count: 0, time: null });
});
