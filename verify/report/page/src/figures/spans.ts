// When cores, control cores, copies and kernels of a run were busy.
import type { Run } from '../decode';

export interface Spans {
  begin: Float64Array;
  end: Float64Array;
}

function collect(size: number, visit: (add: (begin: number, end: number) => void) => void): Spans {
  const begin = new Float64Array(size);
  const end = new Float64Array(size);
  let count = 0;
  visit((from, to) => {
    if (!(to >= from)) return;
    begin[count] = from;
    end[count++] = to;
  });
  return { begin: begin.subarray(0, count), end: end.subarray(0, count) };
}

/** Bodies on cores: a span a task, and for a task on several cores one a part. Tasks that did not run have none. */
export function coreSpans(run: Run): Spans {
  const { times, parts } = run;
  const divided = new Uint8Array(times.started.length);
  for (const task of parts.task) divided[task] = 1;
  return collect(times.started.length + parts.task.length, (add) => {
    for (let task = 0; task < times.started.length; ++task) {
      if (!divided[task] && times.core[task]! >= 0) add(times.started[task]!, times.ended[task]!);
    }
    for (let part = 0; part < parts.task.length; ++part) add(parts.started[part]!, parts.ended[part]!);
  });
}

/** What control cores did; polls that find nothing are not recorded, and time in which one only waits does not count. */
export function controlSpans(run: Run): Spans {
  const waits = run.data.step_kinds.map((kind) => kind === 'wait' || kind.startsWith('wait: '));
  const size = run.steps.reduce((sum, steps) => sum + steps.begin.length, 0);
  return collect(size, (add) => {
    for (const { begin, end, kind } of run.steps) {
      for (let i = 0; i < begin.length; ++i) {
        if (!waits[kind[i]!]) add(begin[i]!, end[i]!);
      }
    }
  });
}

/** Of the tasks whose operation is in `operations` (words of GraphData.operations), begin and end. */
export function taskSpans(run: Run, operation: ArrayLike<number>, wanted: (operation: number) => boolean): [number, number][] {
  const spans: [number, number][] = [];
  const { started, ended } = run.times;
  for (let task = 0; task < started.length; ++task) {
    if (wanted(operation[task]!) && ended[task]! >= started[task]!) spans.push([started[task]!, ended[task]!]);
  }
  return spans;
}
