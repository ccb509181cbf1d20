// Delays in logarithmic bins, and their percentiles.

/** Bins a decade: with six, every one from 1 ns on holds a whole number. */
export const kBinsPerDecade = 6;

export interface Histogram {
  /** Lower edge of each bin in ns, and one more: bin i is [edges[i], edges[i + 1]). The first may be from 0 to 1 ns. */
  edges: number[];
  counts: number[];
}

const edge = (i: number) => 10 ** (i / kBinsPerDecade);

/** The bin of a value of 1 or more; corrects what the logarithm rounds. */
export function logBin(value: number): number {
  let bin = Math.floor(Math.log10(value) * kBinsPerDecade);
  if (value < edge(bin)) --bin;
  if (value >= edge(bin + 1)) ++bin;
  return bin;
}

/**
 * Edges that hold every value of all `samples`, so that histograms of several runs stand over the same axis. The axis begins and ends
 * at powers of ten, or begins at 0; [] where there is no value.
 */
export function commonEdges(samples: readonly ArrayLike<number>[]): number[] {
  let least = Infinity;
  let most = -Infinity;
  for (const values of samples) {
    for (let i = 0; i < values.length; ++i) {
      least = Math.min(least, values[i]!);
      most = Math.max(most, values[i]!);
    }
  }
  if (least > most) return [];
  const edges = least < 1 ? [0] : [];
  const first = least < 1 ? 0 : Math.floor(logBin(least) / kBinsPerDecade);
  const last = most < 1 ? 0 : Math.floor(logBin(most) / kBinsPerDecade);
  for (let i = first * kBinsPerDecade; i <= (last + 1) * kBinsPerDecade; ++i) edges.push(edge(i));
  return edges;
}

/** Contract: the edges come from commonEdges() of samples that hold these values. A delay below 0 counts in the first bin. */
export function histogram(values: ArrayLike<number>, edges: readonly number[]): Histogram {
  const counts = new Array<number>(Math.max(0, edges.length - 1)).fill(0);
  if (counts.length === 0) return { edges: [...edges], counts };
  const zeros = edges[0] === 0 ? 1 : 0;
  const first = zeros ? 0 : logBin(edges[0]!);
  for (let i = 0; i < values.length; ++i) {
    const value = values[i]!;
    ++counts[value < 1 ? 0 : zeros + logBin(value) - first]!;
  }
  return { edges: [...edges], counts };
}

/** The value at rank ceil(p · n) of those in ascending order (the nearest-rank method); null where there is none. */
export function percentile(ascending: ArrayLike<number>, p: number): number | null {
  if (ascending.length === 0) return null;
  const rank = Math.ceil(p * ascending.length);
  return ascending[Math.min(ascending.length, Math.max(1, rank)) - 1]!;
}
