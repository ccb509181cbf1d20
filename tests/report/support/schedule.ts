// A greedy schedule of a made-up graph: control cores hand ready tasks to the core that is free first.
import type { GraphData } from 'page/data';

export interface Task {
  ready: number;
  dispatched: number;
  received: number;
  started: number;
  ended: number;
  published: number;
  core: number;
  dispatcher: number;
}

export interface Run {
  makespan: number;
  busy: number;
  tasks: (Task | null)[];
  steps: { begin: number; end: number; kind: number }[][];
  queue: { time: number; length: number }[];
  path: { end: number; cause: number; task: number }[];
}

export interface Plan {
  cores: number;
  controlCores: number;
  /** Nanoseconds that handing out a task takes. */
  service: number;
  lost: number;
  random: () => number;
}

export function schedule(graph: GraphData, plan: Plan): Run {
  const { random } = plan;
  const tasks: (Task | null)[] = [];
  const cores = new Float64Array(plan.cores);
  const control = new Float64Array(Math.max(1, plan.controlCores));
  const steps: Run['steps'] = Array.from({ length: plan.controlCores }, () => []);
  const last: number[] = []; // the predecessor that came last
  let edge = 0;
  for (let id = 0; id < graph.names.length; ++id) {
    let ready = 0;
    last.push(-1);
    for (const end = edge + graph.predecessor_count[id]!; edge < end; ++edge) {
      const before = id - graph.predecessor_distance[edge]!;
      const published = tasks[before]?.published ?? 0;
      if (published >= ready) [ready, last[id]] = [published, before];
    }
    if (plan.lost > 0 && id % plan.lost === plan.lost - 1) {
      tasks.push(null);
      continue;
    }
    const core = cores.indexOf(Math.min(...cores));
    const dispatcher = id % control.length;
    const begin = Math.max(ready, control[dispatcher]!);
    const dispatched = (control[dispatcher] = begin + plan.service);
    steps[dispatcher]?.push({ begin, end: dispatched, kind: 0 });
    const received = dispatched + 300 + Math.floor(random() * 200);
    const started = Math.max(received, cores[core]!) + 50;
    const ended = started + Math.floor((1 + 3 * (graph.kernel[id]! % 3) + 2 * random()) * 1500);
    const published = ended + 100 + Math.floor(random() * 80);
    cores[core] = published;
    tasks.push({ ready, dispatched, received, started, ended, published, core, dispatcher: plan.controlCores > 0 ? dispatcher : -1 });
  }
  const present = tasks.filter((task) => task !== null);
  const makespan = Math.max(0, ...chunks(present).map((chunk) => Math.max(...chunk.map((task) => task.published))));
  const busy = present.reduce((sum, task) => sum + task.ended - task.started, 0);
  return { makespan, busy, tasks, steps, queue: queueLengths(present), path: criticalPath(tasks, last, makespan) };
}

/** Math.max takes only so many arguments. */
function chunks<Item>(items: Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let begin = 0; begin < items.length; begin += 10000) parts.push(items.slice(begin, begin + 10000));
  return parts;
}

function queueLengths(tasks: Task[]): Run['queue'] {
  const changes = tasks.flatMap((task) => [
    { time: task.ready, change: 1 },
    { time: task.dispatched, change: -1 },
  ]);
  changes.sort((a, b) => a.time - b.time || b.change - a.change);
  let length = 0;
  return changes.map(({ time, change }) => ({ time, length: (length += change) }));
}

function criticalPath(tasks: (Task | null)[], last: number[], makespan: number): Run['path'] {
  const path: Run['path'] = [];
  let id = tasks.findIndex((task) => task?.published === makespan);
  while (id >= 0) {
    const task = tasks[id];
    if (!task) break;
    path.push(
      { end: task.published, cause: 2, task: id },
      { end: task.ended, cause: 0, task: id },
      { end: task.started, cause: 2, task: id },
    );
    path.push({ end: task.dispatched, cause: 1, task: id });
    id = last[id]!;
  }
  return path.reverse();
}
