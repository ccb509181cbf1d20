// Delta columns into typed arrays. A time that was not observed is NaN, an absent index −1.
import type { Column } from './data';

export function running(deltas: number[]): Float64Array {
  const sums = new Float64Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; ++i) sums[i] = sum += deltas[i]!;
  return sums;
}

/** From the last present entry before. */
export function runningPresent(deltas: Column): Float64Array {
  const sums = new Float64Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; ++i) {
    const delta = deltas[i];
    sums[i] = delta == null ? NaN : (sum += delta);
  }
  return sums;
}

/** base + sign × column. */
export function offset(base: Float64Array, column: Column, sign: 1 | -1): Float64Array {
  const times = new Float64Array(base.length);
  for (let i = 0; i < times.length; ++i) {
    const difference = column[i];
    times[i] = difference == null ? NaN : base[i]! + sign * difference;
  }
  return times;
}

export function indices(column: Column): Int32Array {
  const result = new Int32Array(column.length);
  for (let i = 0; i < result.length; ++i) result[i] = column[i] ?? -1;
  return result;
}
