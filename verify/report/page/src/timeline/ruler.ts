// Sums over a range of time: what a ruler laid over the timelines measures.
import type { Graph, Run } from '../decode';
import { groupsOf } from './groups';
import { rowsOf } from './rows';
import { firstAbove, type Spans } from './spans';

export interface Range {
  begin: number;
  end: number;
}

/** Of the bodies of a group, or of the steps of a kind. */
export interface Sum {
  name: string;
  /** How many lay in the range, with a part of them at least. */
  count: number;
  /** Of their time what lay in the range, ns. */
  time: number;
}

export interface Sums {
  groups: Sum[];
  steps: Sum[];
  /** Core time of the range, and what of it a core held a task for, ns. */
  cores: number;
  held: number;
  started: number;
  ended: number;
}

/** Calls `visit` for each span with a part in the range: what it is of, and that part. */
function within(lane: Spans, range: Range, visit: (what: number, time: number, at: number) => void): void {
  for (let i = firstAbove(lane.latest, range.begin); i < lane.begin.length && lane.begin[i]! < range.end; ++i) {
    const time = Math.min(lane.end[i]!, range.end) - Math.max(lane.begin[i]!, range.begin);
    if (time > 0) visit(lane.what[i]!, time, i);
  }
}

const empty = (names: readonly string[]): Sum[] => names.map((name) => ({ name, count: 0, time: 0 }));

/** Of the tasks whose groups `shows` lets through. A task on several cores counts once, its time on each of them. */
export function sumsBetween(graph: Graph, run: Run, range: Range, shows: (group: number) => boolean): Sums {
  const { names, of } = groupsOf(graph);
  const groups = empty(names);
  const steps = empty(run.data.step_kinds);
  const counted = new Set<number>();
  let held = 0;
  for (const row of rowsOf(run)) {
    for (const lane of row.lanes) {
      within(lane, range, (what, time) => {
        const sum = row.control ? steps[what] : shows(of[what]!) ? groups[of[what]!] : undefined;
        if (!sum) return;
        sum.time += time;
        if (!row.control && counted.has(what)) return;
        if (!row.control) counted.add(what);
        ++sum.count;
      });
    }
    if (!row.control) held += heldBetween(row.lanes, range);
  }
  const between = (times: Float64Array): number =>
    times.reduce((sum, time, task) => sum + (time >= range.begin && time < range.end && shows(of[task]!) ? 1 : 0), 0);
  return {
    groups: groups.filter(({ count }) => count > 0),
    steps: steps.filter(({ count }) => count > 0),
    cores: run.data.cores.length * Math.max(0, Math.min(range.end, run.makespan) - Math.min(range.begin, run.makespan)),
    held,
    started: between(run.times.started),
    ended: between(run.times.ended),
  };
}

/** For how long of the range any body ran, whatever overlaps. */
function heldBetween(lanes: readonly Spans[], range: Range): number {
  const bodies: [number, number][] = [];
  for (const lane of lanes) {
    within(lane, range, (_, time, at) => {
      const begin = Math.max(lane.begin[at]!, range.begin);
      bodies.push([begin, begin + time]);
    });
  }
  bodies.sort((a, b) => a[0] - b[0]);
  let held = 0;
  let counted = range.begin;
  for (const [begin, end] of bodies) {
    if (end > counted) held += end - Math.max(begin, counted);
    counted = Math.max(counted, end);
  }
  return held;
}
