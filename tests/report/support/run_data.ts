// A made-up run in the columns of data.ts.
import type { Column, RunData } from 'page/data';
import type { Run } from './schedule';

const differences = (values: (number | null)[]): Column => {
  let last = 0;
  return values.map((value) => {
    if (value === null) return null;
    const difference = value - last;
    last = value;
    return difference;
  });
};
const deltas = (values: number[]): number[] => differences(values) as number[];

export function runData(run: Run, cores: number, controlCores: number): RunData {
  const { tasks } = run;
  const column = (value: (task: NonNullable<(typeof tasks)[number]>) => number): Column => tasks.map((task) => task && value(task));
  return {
    makespan_ns: run.makespan,
    cores: new Array<string>(cores).fill('sm'),
    core_word: 'core',
    core_devices: [],
    workers_per_core: 1,
    transfers: { task: [], from: [], to: [], began: [], ended: [] },
    roles: new Array<string>(controlCores).fill('scheduler'),
    tasks: {
      started_delta: differences(tasks.map((task) => task && task.started)),
      ready_before: column((task) => task.started - task.ready),
      dispatched_before: column((task) => task.started - task.dispatched),
      received_before: column((task) => task.started - task.received),
      duration: column((task) => task.ended - task.started),
      publish: column((task) => task.published - task.ended),
      core: column((task) => task.core),
      dispatcher: column((task) => task.dispatcher),
    },
    parts: { task_delta: [], core: [], started_after: [], duration: [], publish: [] },
    step_kinds: ['dispatch', 'complete', 'poll'],
    steps: run.steps.map((steps) => ({
      gap: steps.map((step, i) => step.begin - (steps[i - 1]?.end ?? 0)),
      duration: steps.map((step) => step.end - step.begin),
      kind: steps.map((step) => step.kind),
    })),
    queue: { time_delta: deltas(run.queue.map((sample) => sample.time)), length: run.queue.map((sample) => sample.length) },
    memory: { time_delta: [], used: [], reserved: [] },
    path: {
      end_delta: deltas(run.path.map((part) => part.end)),
      cause: run.path.map((part) => part.cause),
      task: run.path.map((part) => part.task),
    },
    path_causes: ['bodies', 'control cores at work', 'signalling latency'],
    path_ns: [0, 1, 2].map((cause) =>
      run.path.reduce((sum, part, i) => sum + (part.cause === cause ? part.end - (run.path[i - 1]?.end ?? 0) : 0), 0),
    ),
    idle_causes: ['waits for a predecessor', 'waits for a control core'],
    idle_ns: [0.7, 0.3].map((share) => Math.round(share * (cores * run.makespan - run.busy))),
    busy_ns: run.busy,
    given_ns: 0,
    core_busy_share: run.busy / (cores * run.makespan),
    control_busy_shares: run.steps.map(() => 0.4),
  };
}
