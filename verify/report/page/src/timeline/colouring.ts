// What the colours of the timelines mean: the kernel, how a task's delay or body differs from the measured one, or the critical path.
import type { Design, Graph, Run } from '../decode';
import { duration } from '../format';
import { seriesCount, type Theme } from '../theme';
import { groupsOf } from './groups';
import { mixed, packed, type Packed } from './raster';
import { finished, lastPredecessor } from './waits';

export type Mode = 'kernel' | 'delay' | 'body' | 'path';

export interface LegendEntry {
  colour: string;
  text: string;
  /** Hatched as well: a colour used a second time. */
  hatched?: boolean;
}

/** "#rrggbb" as a pixel. */
export function pixel(colour: string): Packed {
  const value = Number.parseInt(colour.slice(1), 16);
  return packed((value >> 16) & 255, (value >> 8) & 255, value & 255);
}

export function css(colour: Packed): string {
  return `#${[0, 8, 16].map((shift) => ((colour >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
}

/** By task: from its last predecessor's completion, or the beginning, to its start; or from there to its end. NaN where not observed. */
function spans(mode: 'delay' | 'body', graph: Graph, run: Run): Float64Array {
  const { started, ended } = run.times;
  return started.map((at, task) => {
    if (mode === 'body') return ended[task]! - at;
    const last = lastPredecessor(graph, run, task);
    return at - (last < 0 ? 0 : finished(run, last));
  });
}

/** Predicted − measured, by task; NaN where either is not known. What a task has lost is not counted against those behind it. */
export function differencesOf(mode: 'delay' | 'body', graph: Graph, design: Design): Float64Array | null {
  if (!design.measured) return null;
  const measured = spans(mode, graph, design.measured);
  return spans(mode, graph, design.predicted).map((span, task) => span - measured[task]!);
}

/** The difference that gets the full colour: 95 % of the tasks have less. */
export function fullDifference(differences: Float64Array): number {
  const sizes = differences
    .filter((value) => !Number.isNaN(value))
    .map(Math.abs)
    .sort();
  return Math.max(1, sizes[Math.floor((sizes.length - 1) * 0.95)] ?? 1);
}

/** By task, for one run of `design`. */
export function taskColours(mode: Mode, graph: Graph, design: Design, run: Run, theme: Theme): Uint32Array {
  const colours = new Uint32Array(graph.size);
  const even = pixel(theme.color('--even'));
  if (mode === 'kernel') {
    const groups = groupsOf(graph);
    const series = Array.from({ length: seriesCount }, (_, i) => pixel(theme.series(i)));
    for (let task = 0; task < graph.size; ++task) colours[task] = series[groups.of[task]! % seriesCount]!;
  } else if (mode === 'path') {
    colours.fill(even);
    const mark = pixel(theme.color('--mark'));
    for (const task of run.path.task) {
      if (task >= 0) colours[task] = mark;
    }
  } else {
    const differences = differencesOf(mode, graph, design);
    const full = differences ? fullDifference(differences) : 1;
    const [early, late] = [pixel(theme.color('--early')), pixel(theme.color('--late'))];
    for (let task = 0; task < graph.size; ++task) {
      const difference = differences?.[task] ?? NaN;
      const share = Math.min(1, Math.abs(difference) / full);
      colours[task] = Number.isNaN(share) ? even : mixed(difference < 0 ? early : late, even, share);
    }
  }
  return colours;
}

/** `colours` by task, those of groups that are left out so pale that they can just be seen. */
export function paled(colours: Uint32Array, group: Int32Array, shows: (group: number) => boolean, theme: Theme): Uint32Array {
  const idle = pixel(theme.color('--idle'));
  for (let task = 0; task < colours.length; ++task) {
    if (!shows(group[task]!)) colours[task] = mixed(colours[task]!, idle, 0.12);
  }
  return colours;
}

/** What a control core may be at; a kind has one colour in every run. Others are calls of a program's host, by name. */
const stepKinds = ['poll', 'complete', 'resolve', 'dispatch', 'submit', 'steal', 'wait'];
/** Not known what, or nothing that has a name. */
const nameless = ['busy', 'own time'];

function stepColour(kind: string, theme: Theme): string {
  if (nameless.includes(kind)) return theme.color('--quiet');
  const name = kind.startsWith('wait: ') ? 'wait' : kind;
  const index = stepKinds.indexOf(name);
  return theme.series(index < 0 ? hashed(name) % seriesCount : index + 4);
}

/** The same for the same name in every run. */
function hashed(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; ++i) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return hash;
}

/** By kind of step. */
export function stepColours(run: Run, theme: Theme): Uint32Array {
  return Uint32Array.from(run.data.step_kinds, (kind) => pixel(stepColour(kind, theme)));
}

/** Of control cores, in every mode: the kinds that these runs have. */
export function stepLegend(runs: Run[], theme: Theme): LegendEntry[] {
  const seen = new Set(
    runs.flatMap((run) => run.steps.flatMap((steps) => [...new Set(steps.kind)].map((kind) => run.data.step_kinds[kind]!))),
  );
  return [...seen].map((kind) => ({ colour: stepColour(kind, theme), text: kind }));
}

export function legend(mode: Mode, graph: Graph, design: Design, theme: Theme): LegendEntry[] {
  if (mode === 'kernel') {
    return groupsOf(graph).names.map((text, group) => ({ colour: theme.series(group), text, hatched: group >= seriesCount }));
  }
  if (mode === 'path') {
    return [
      { colour: theme.color('--mark'), text: 'on the observed critical path' },
      { colour: theme.color('--even'), text: 'not on it' },
    ];
  }
  const differences = differencesOf(mode, graph, design);
  const full = duration(differences ? fullDifference(differences) : NaN);
  return [
    { colour: theme.color('--early'), text: `${mode} predicted ${full} or more shorter than measured` },
    { colour: theme.color('--even'), text: 'as long' },
    { colour: theme.color('--late'), text: `${full} or more longer` },
  ];
}
