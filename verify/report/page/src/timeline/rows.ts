// The rows of a run: its control cores, then its cores.
import type { Run } from '../decode';
import { firstAbove, lanes, type Span, type Spans } from './spans';

export interface Row {
  label: string;
  control: boolean;
  /** Of the core or control core. */
  index: number;
  lanes: Spans[];
}

const kept = new WeakMap<Run, Row[]>();

export function rowsOf(run: Run): Row[] {
  const known = kept.get(run);
  if (known) return known;
  const rows = [...controlRows(run), ...coreRows(run), ...linkRows(run)];
  kept.set(run, rows);
  return rows;
}

/** By control core: its role, and which of that role it is. */
export function roleNames(run: Run): string[] {
  const count = new Map<string, number>();
  return run.data.steps.map((_, index) => {
    const role = run.data.roles[index] ?? 'control core';
    const number = count.get(role) ?? 0;
    count.set(role, number + 1);
    return `${role} ${number}`;
  });
}

function controlRows(run: Run): Row[] {
  const names = roleNames(run);
  return run.steps.map((steps, index) => {
    const spans = Array.from(steps.begin, (begin, i): Span => ({ begin, end: steps.end[i]!, hold: steps.end[i]!, what: steps.kind[i]! }));
    return { label: names[index]!, control: true, index, lanes: lanes(spans) };
  });
}

/** A task on several cores lies on each; where its parts are known, as each part did. */
function coreRows(run: Run): Row[] {
  const { times, parts } = run;
  const byCore: Span[][] = run.data.cores.map(() => []);
  const add = (core: number, what: number, begin: number, ended: number, published: number): void => {
    if (Number.isNaN(begin)) return;
    const end = Number.isNaN(ended) ? begin : ended;
    byCore[core]?.push({ begin, end, hold: Math.max(end, Number.isNaN(published) ? end : published), what });
  };
  const inParts = new Set(parts.task);
  for (let task = 0; task < times.started.length; ++task) {
    if (!inParts.has(task)) add(times.core[task]!, task, times.started[task]!, times.ended[task]!, times.published[task]!);
  }
  parts.task.forEach((task, part) => add(parts.core[part]!, task, parts.started[part]!, parts.ended[part]!, parts.published[part]!));
  return byCore.map((spans, index) => ({ label: coreName(run, index), control: false, index, lanes: lanes(spans) }));
}

/** On several devices, with the device and the number that the core has there; of several workers a core, with which of them. */
export function coreName(run: Run, core: number): string {
  const workers = run.data.workers_per_core;
  if (workers > 1) {
    const cores = run.data.cores.length / workers;
    return `${run.data.core_word} ${core % cores} worker ${Math.floor(core / cores)}`;
  }
  const device = run.data.core_devices[core];
  if (device === undefined) return `${run.data.core_word} ${core}`;
  return `device ${device} ${run.data.core_word} ${core - run.data.core_devices.indexOf(device)}`;
}

/** A row for each way between two devices that the design had bytes of tasks copied. */
function linkRows(run: Run): Row[] {
  const { task, from, to, began, ended } = run.data.transfers;
  const ways = new Map<string, Span[]>();
  task.forEach((what, i) => {
    const label = `link ${from[i]} to ${to[i]}`;
    ways.set(label, [...(ways.get(label) ?? []), { begin: began[i]!, end: ended[i]!, hold: ended[i]!, what }]);
  });
  const first = run.data.cores.length;
  return [...ways].map(([label, spans], i) => ({ label, control: false, index: first + i, lanes: lanes(spans) }));
}

/** The row of a core among rowsOf(run). */
export function rowOfCore(run: Run, core: number): number {
  return run.steps.length + core;
}

/** The task that started on the same core just before (−1) or after (+1) `task`; −1 for none. */
export function neighbour(run: Run, task: number, direction: 1 | -1): number {
  const started = run.times.started[task]!;
  let found = -1;
  let nearest = direction * Infinity;
  for (const lane of rowsOf(run)[rowOfCore(run, run.times.core[task]!)]?.lanes ?? []) {
    const i = direction > 0 ? firstAbove(lane.begin, started) : firstAbove(lane.begin, started - 0.5) - 1;
    const begin = lane.begin[i];
    if (begin !== undefined && direction * (begin - nearest) < 0) [nearest, found] = [begin, lane.what[i]!];
  }
  return found;
}

/** For how long of [since, until) a core held any task. */
export function busyBetween(run: Run, core: number, since: number, until: number): number {
  const held: [number, number][] = [];
  for (const lane of rowsOf(run)[rowOfCore(run, core)]?.lanes ?? []) {
    for (let i = firstAbove(lane.latest, since); i < lane.begin.length && lane.begin[i]! < until; ++i)
      held.push([lane.begin[i]!, lane.hold[i]!]);
  }
  held.sort((a, b) => a[0] - b[0]);
  let busy = 0;
  let counted = since;
  for (const [begin, hold] of held) {
    const end = Math.min(hold, until);
    if (end > counted) busy += end - Math.max(begin, counted);
    counted = Math.max(counted, end);
  }
  return busy;
}
