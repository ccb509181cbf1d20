// Time series of a run in equal bins, for charts: a chart has as many points as it has pixels, whatever the run's length.

/** Mean number of spans over each of `bins` equal parts of [0, horizon]. Parts of spans outside do not count; `horizon` 0 gives zeros. */
export function meanBusy(begin: ArrayLike<number>, end: ArrayLike<number>, horizon: number, bins: number): Float64Array {
  const inside = new Float64Array(bins);
  const whole = new Float64Array(bins + 1);
  if (!(horizon > 0)) return inside;
  const width = horizon / bins;
  for (let i = 0; i < begin.length; ++i) {
    const from = Math.max(0, begin[i]!);
    const to = Math.min(horizon, end[i]!);
    if (!(to > from)) continue;
    const first = Math.min(bins - 1, Math.floor(from / width));
    const last = Math.min(bins - 1, Math.floor(to / width));
    if (first === last) {
      inside[first]! += to - from;
      continue;
    }
    inside[first]! += (first + 1) * width - from;
    inside[last]! += to - last * width;
    whole[first + 1]! += 1;
    whole[last]! -= 1;
  }
  let covering = 0;
  for (let i = 0; i < bins; ++i) {
    covering += whole[i]!;
    inside[i] = inside[i]! / width + covering;
  }
  return inside;
}

/** Mean over time, in each of `bins` equal parts of [0, horizon], of a step function that is 0 before its first change. */
export function meanLevel(time: ArrayLike<number>, level: ArrayLike<number>, horizon: number, bins: number): Float64Array {
  const mean = new Float64Array(bins);
  if (!(horizon > 0)) return mean;
  const width = horizon / bins;
  let next = 0;
  let value = 0;
  let now = 0;
  for (let i = 0; i < bins; ++i) {
    const end = i + 1 === bins ? horizon : (i + 1) * width;
    while (next < time.length && time[next]! < end) {
      const change = Math.max(now, time[next]!);
      mean[i]! += value * (change - now);
      now = change;
      value = level[next]!;
      ++next;
    }
    mean[i] = (mean[i]! + value * (end - now)) / width;
    now = end;
  }
  return mean;
}

/** The middle of each bin. */
export function binMiddles(horizon: number, bins: number): Float64Array {
  return Float64Array.from({ length: bins }, (_, i) => (horizon * (i + 0.5)) / bins);
}

/** The highest level and when it was first reached; null where there is no sample. */
export function highest(time: ArrayLike<number>, level: ArrayLike<number>): { time: number; level: number } | null {
  let best: { time: number; level: number } | null = null;
  for (let i = 0; i < time.length; ++i) {
    if (best === null || level[i]! > best.level) best = { time: time[i]!, level: level[i]! };
  }
  return best;
}

/** Mean of the step function over [0, horizon]. */
export function timeMean(time: ArrayLike<number>, level: ArrayLike<number>, horizon: number): number {
  return meanLevel(time, level, horizon, 1)[0]!;
}

/** The most spans that lie over any one moment, and the first moment with so many; a span's end is no more part of it. */
export function mostAtOnce(begin: ArrayLike<number>, end: ArrayLike<number>): { count: number; time: number | null } {
  const begins = Float64Array.from(begin).sort();
  const ends = Float64Array.from(end).sort();
  let most = 0;
  let time: number | null = null;
  for (let i = 0, ended = 0; i < begins.length; ++i) {
    while (ended < ends.length && ends[ended]! <= begins[i]!) ++ended;
    if (i + 1 - ended > most) {
      most = i + 1 - ended;
      time = begins[i]!;
    }
  }
  return { count: most, time };
}
