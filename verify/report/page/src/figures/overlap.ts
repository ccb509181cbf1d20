// How long copies and kernels ran, alone and together.

export interface Overlap {
  copies_only: number;
  kernels_only: number;
  both: number;
  neither: number;
}

/** Of [0, horizon]: the four add up to it. Times as whole nanoseconds; spans that end before they begin count nowhere. */
export function overlap(
  copies: readonly (readonly [number, number])[],
  kernels: readonly (readonly [number, number])[],
  horizon: number,
): Overlap {
  const changes: [time: number, copies: number, kernels: number][] = [];
  const add = (spans: readonly (readonly [number, number])[], copy: number, kernel: number) => {
    for (const [begin, end] of spans) {
      const from = Math.max(0, begin);
      const to = Math.min(horizon, end);
      if (to > from) changes.push([from, copy, kernel], [to, -copy, -kernel]);
    }
  };
  add(copies, 1, 0);
  add(kernels, 0, 1);
  changes.sort((a, b) => a[0] - b[0]);
  const result: Overlap = { copies_only: 0, kernels_only: 0, both: 0, neither: 0 };
  let now = 0;
  let copying = 0;
  let computing = 0;
  const pass = (until: number) => {
    const kind = copying > 0 ? (computing > 0 ? 'both' : 'copies_only') : computing > 0 ? 'kernels_only' : 'neither';
    result[kind] += until - now;
    now = until;
  };
  for (const [time, copy, kernel] of changes) {
    pass(time);
    copying += copy;
    computing += kernel;
  }
  pass(Math.max(now, horizon));
  return result;
}
