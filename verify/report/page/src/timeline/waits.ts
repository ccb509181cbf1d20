// Why a task started when it did, in words and numbers.
import type { Graph, Run } from '../decode';
import { duration, exact } from '../format';
import { busyBetween, neighbour } from './rows';

export interface Phase {
  name: string;
  /** NaN where the run did not observe it. */
  at: number;
  /** Since the last phase before it that was observed. */
  after: number;
}

/** Those that were observed in the order of time, then the others: a task may be handed over before it is ready. */
export function phases(run: Run, task: number): Phase[] {
  const { times } = run;
  const named: [string, number][] = [
    ['ready', times.ready[task]!],
    ['dispatched', times.dispatched[task]!],
    ['received', times.received[task]!],
    ['started', times.started[task]!],
    ['ended', times.ended[task]!],
    ['published', times.published[task]!],
  ];
  const seen = named.filter(([, at]) => !Number.isNaN(at)).sort((a, b) => a[1] - b[1]);
  const unseen = named.filter(([, at]) => Number.isNaN(at));
  return [...seen, ...unseen].map(([name, at], i) => ({ name, at, after: at - (seen[i - 1]?.[1] ?? NaN) }));
}

/** When news of a task's end could go out. */
export function finished(run: Run, task: number): number {
  const published = run.times.published[task]!;
  return Number.isNaN(published) ? run.times.ended[task]! : published;
}

/** The predecessor that finished last; −1 for none. */
export function lastPredecessor(graph: Graph, run: Run, task: number): number {
  let last = -1;
  for (const before of graph.predecessors.task.subarray(graph.predecessors.start[task], graph.predecessors.start[task + 1])) {
    if (!(finished(run, before) <= (last < 0 ? -Infinity : finished(run, last))) && !Number.isNaN(finished(run, before))) last = before;
  }
  return last;
}

/** Sentences on each stretch of time up to its start. */
export function reasons(graph: Graph, run: Run, task: number): string[] {
  const { times } = run;
  const started = times.started[task]!;
  if (Number.isNaN(started)) return ['It did not come to be in this run.'];
  const word = run.data.core_word;
  const last = lastPredecessor(graph, run, task);
  const said = [last < 0 ? 'It waits for no other task.' : fromLast(graph, run, task, last)];

  const before = neighbour(run, task, -1);
  /** Adds for how much of the time its core was busy with others. */
  const stretch = (sentence: string, since: number, until: number): void => {
    if (!(until > since)) return;
    const busy = busyBetween(run, times.core[task]!, since, Math.min(until, started));
    const share = busy >= until - since ? 'all of that' : `${duration(busy)} of that`;
    said.push(busy > 0 && before >= 0 ? `${sentence} Its ${word} was busy for ${share}, last with ${graph.names[before]!}.` : sentence);
  };

  // Where it was not observed when a task was ready, it was no earlier than its last predecessor finished.
  const ready = [times.ready[task]!, last < 0 ? 0 : finished(run, last)].find((time) => !Number.isNaN(time)) ?? 0;
  const [dispatched, received] = [times.dispatched[task]!, times.received[task]!];
  let since = ready;
  if (dispatched <= ready && last >= 0) {
    said.push(`It had been given to its ${word} before that, at ${exact(dispatched)}.`);
  } else if (!Number.isNaN(dispatched)) {
    stretch(`Ready, it waited ${duration(dispatched - ready)} to be handed over.`, ready, dispatched);
    since = Math.max(ready, dispatched);
  }
  if (!Number.isNaN(received)) {
    const sentence =
      since === ready
        ? `Its ${word} took it up ${duration(received - since)} after it was ready.`
        : `It was on its way to the ${word} for ${duration(received - since)}.`;
    stretch(sentence, since, received);
    since = Math.max(since, received);
    stretch(`There it waited ${duration(started - since)} for its start.`, since, started);
  } else {
    stretch(`It started ${duration(started - since)} later.`, since, started);
  }
  return said;
}

function fromLast(graph: Graph, run: Run, task: number, last: number): string {
  const news = run.times.ready[task]! - finished(run, last);
  const sentence = `Its last predecessor was ${graph.names[last]!}, finished at ${exact(finished(run, last))}`;
  return news > 0 ? `${sentence}; the news took ${duration(news)}.` : `${sentence}.`;
}
