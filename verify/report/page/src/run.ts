// One run of a design. Its timeline is decoded when first asked for, and kept.
import { indices, offset, running, runningPresent } from './columns';
import type { RunData, StepColumns } from './data';

/** By task; nanoseconds, NaN where not observed; −1 for no core or control core. */
export interface Times {
  ready: Float64Array;
  dispatched: Float64Array;
  received: Float64Array;
  started: Float64Array;
  ended: Float64Array;
  published: Float64Array;
  core: Int32Array;
  dispatcher: Int32Array;
}

/** Of tasks on several cores, an entry a part. */
export interface Parts {
  task: Int32Array;
  core: Int32Array;
  started: Float64Array;
  ended: Float64Array;
  published: Float64Array;
}

/** Of one control core, ascending. `kind` is an index into RunData.step_kinds. */
export interface Steps {
  begin: Float64Array;
  end: Float64Array;
  kind: Uint8Array;
}

/** Segments of the observed critical path, from 0 to the makespan. `task` is −1 for none. */
export interface Path {
  begin: Float64Array;
  end: Float64Array;
  cause: Int32Array;
  task: Int32Array;
}

export class Run {
  private kept: { times?: Times; parts?: Parts; steps?: Steps[]; path?: Path } = {};
  constructor(readonly data: RunData) {}

  get makespan(): number {
    return this.data.makespan_ns;
  }

  get times(): Times {
    return (this.kept.times ??= decodeTimes(this.data));
  }

  get parts(): Parts {
    return (this.kept.parts ??= decodeParts(this.data, this.times));
  }

  get steps(): Steps[] {
    return (this.kept.steps ??= this.data.steps.map(decodeSteps));
  }

  get path(): Path {
    if (!this.kept.path) {
      const end = running(this.data.path.end_delta);
      const begin = new Float64Array(end.length);
      if (end.length > 0) begin.set(end.subarray(0, end.length - 1), 1);
      this.kept.path = { begin, end, cause: indices(this.data.path.cause), task: indices(this.data.path.task) };
    }
    return this.kept.path;
  }

  get queue(): { time: Float64Array; length: number[] } {
    return { time: running(this.data.queue.time_delta), length: this.data.queue.length };
  }

  get memory(): { time: Float64Array; used: number[]; reserved: number[] } {
    return { time: running(this.data.memory.time_delta), used: this.data.memory.used, reserved: this.data.memory.reserved };
  }
}

function decodeTimes(data: RunData): Times {
  const columns = data.tasks;
  const started = runningPresent(columns.started_delta);
  const ended = offset(started, columns.duration, 1);
  return {
    ready: offset(started, columns.ready_before, -1),
    dispatched: offset(started, columns.dispatched_before, -1),
    received: offset(started, columns.received_before, -1),
    started,
    ended,
    published: offset(ended, columns.publish, 1),
    core: indices(columns.core),
    dispatcher: indices(columns.dispatcher),
  };
}

function decodeParts(data: RunData, times: Times): Parts {
  const columns = data.parts;
  const task = Int32Array.from(running(columns.task_delta));
  const started = Float64Array.from(columns.started_after, (after, part) => times.started[task[part]!]! + after);
  const ended = offset(started, columns.duration, 1);
  return { task, core: indices(columns.core), started, ended, published: offset(ended, columns.publish, 1) };
}

function decodeSteps(columns: StepColumns): Steps {
  const begin = new Float64Array(columns.gap.length);
  const end = new Float64Array(columns.gap.length);
  let time = 0;
  for (let i = 0; i < begin.length; ++i) {
    begin[i] = time += columns.gap[i]!;
    end[i] = time += columns.duration[i]!;
  }
  return { begin, end, kind: Uint8Array.from(columns.kind) };
}
