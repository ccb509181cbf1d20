// What lay on a core or control core, in order of time.

/** Ascending by `begin`. */
export interface Spans {
  begin: Float64Array;
  /** Of the body; and until when it held the core: its completion is written. */
  end: Float64Array;
  hold: Float64Array;
  /** A task, or on control cores a kind of step. */
  what: Int32Array;
  /** The latest `hold` up to each span: what ended before is never seen. */
  latest: Float64Array;
}

export interface Span {
  begin: number;
  end: number;
  hold: number;
  what: number;
}

/** The first index in [low, values.length) for which values[index] > limit; values ascend. */
export function firstAbove(values: Float64Array, limit: number, low = 0): number {
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

function pack(spans: Span[]): Spans {
  const column = (value: (span: Span) => number): Float64Array => Float64Array.from(spans, value);
  const latest = column((span) => span.hold);
  for (let i = 1; i < latest.length; ++i) latest[i] = Math.max(latest[i]!, latest[i - 1]!);
  return {
    begin: column((span) => span.begin),
    end: column((span) => span.end),
    hold: column((span) => span.hold),
    what: Int32Array.from(spans, (span) => span.what),
    latest,
  };
}

/** The most lanes a row is split into; what would need more lies in the last. */
const mostLanes = 8;

/** As many lanes as bodies overlap: one for a core that has one task at a time. */
export function lanes(spans: Span[]): Spans[] {
  spans.sort((a, b) => a.begin - b.begin || a.end - b.end);
  const result: Span[][] = [[]];
  const free: number[] = [0];
  for (const span of spans) {
    let lane = free.findIndex((time) => time <= span.begin);
    if (lane < 0) {
      lane = Math.min(free.length, mostLanes - 1);
      result[lane] ??= [];
    }
    free[lane] = Math.max(free[lane] ?? 0, span.end);
    result[lane]!.push(span);
  }
  return result.map(pack);
}

/** The span at `time`, or the nearest within `slack` ns; −1 for none. */
export function spanAt(spans: Spans, time: number, slack: number): number {
  const after = firstAbove(spans.begin, time);
  for (let i = after - 1; i >= 0 && spans.latest[i]! >= time; --i) {
    if (spans.hold[i]! >= time) return i;
  }
  const gapAfter = after < spans.begin.length ? spans.begin[after]! - time : Infinity;
  const gapBefore = after > 0 ? time - spans.hold[after - 1]! : Infinity;
  if (Math.min(gapAfter, gapBefore) > slack) return -1;
  return gapAfter < gapBefore ? after : after - 1;
}
