// What is shown over the time of a run.
import type { Run } from '../decode';
import { highest, meanBusy, meanLevel, mostAtOnce, timeMean } from './bins';
import { controlSpans, coreSpans, type Spans } from './spans';

export interface Summary {
  mean: number;
  most: number;
  /** When it was first so much, ns. */
  at: number | null;
}

export interface Quantity {
  name: string;
  unit(run: Run): string;
  /** What a value is divided by to be in that unit. */
  scale: number;
  /** Decimals of means, and of the most. */
  digits: number;
  most_digits: number;
  observed(run: Run): boolean;
  /** Why there is nothing to show where it was not observed. */
  missing(run: Run): string;
  /** Means over equal bins of [0, horizon]; a line without name is the only one. */
  lines(run: Run, horizon: number, bins: number): { name: string; values: Float64Array }[];
  summary(run: Run): Summary;
  /** How many there are in all; 0 where there is no such limit. */
  outOf(run: Run): number;
}

const MiB = 1024 * 1024;
const none = (): number => 0;
const unobserved = (): string => 'not observed';

function busy(name: string, unit: (run: Run) => string, spans: (run: Run) => Spans, all: (run: Run) => number): Quantity {
  return {
    name,
    unit,
    scale: 1,
    digits: 1,
    most_digits: 0,
    observed: (run) => all(run) > 0 && spans(run).begin.length > 0,
    missing: (run) => (all(run) > 0 ? unobserved() : 'there are none'),
    lines(run, horizon, bins) {
      const { begin, end } = spans(run);
      return [{ name: '', values: meanBusy(begin, end, horizon, bins) }];
    },
    summary(run) {
      const { begin, end } = spans(run);
      const most = mostAtOnce(begin, end);
      return { mean: meanBusy(begin, end, run.makespan, 1)[0]!, most: most.count, at: most.time };
    },
    outOf: all,
  };
}

const queue: Quantity = {
  name: 'Ready queue',
  unit: () => 'tasks',
  scale: 1,
  digits: 1,
  most_digits: 0,
  observed: (run) => run.queue.time.length > 0,
  missing: unobserved,
  lines: (run, horizon, bins) => [{ name: '', values: meanLevel(run.queue.time, run.queue.length, horizon, bins) }],
  summary(run) {
    const most = highest(run.queue.time, run.queue.length);
    return { mean: timeMean(run.queue.time, run.queue.length, run.makespan), most: most?.level ?? 0, at: most?.time ?? null };
  },
  outOf: none,
};

const memory: Quantity = {
  name: 'Device memory',
  unit: () => 'MiB',
  scale: MiB,
  digits: 1,
  most_digits: 1,
  observed: (run) => run.memory.time.length > 0,
  missing: unobserved,
  lines(run, horizon, bins) {
    const { time, used, reserved } = run.memory;
    return [
      { name: 'in use', values: meanLevel(time, used, horizon, bins) },
      { name: 'held', values: meanLevel(time, reserved, horizon, bins) },
    ];
  },
  summary(run) {
    const { time, used } = run.memory;
    const most = highest(time, used);
    return { mean: timeMean(time, used, run.makespan), most: most?.level ?? 0, at: most?.time ?? null };
  },
  outOf: none,
};

export const quantities: readonly Quantity[] = [
  queue,
  busy(
    'Busy cores',
    (run) => `${run.data.core_word}s`,
    coreSpans,
    (run) => run.data.cores.length,
  ),
  busy(
    'Busy control cores',
    () => 'control cores',
    controlSpans,
    (run) => run.data.steps.length,
  ),
  memory,
];
