// How long news took: from ready to dispatched, from there to the start, and from the end until it was published.
import type { Times } from '../decode';

export interface Delay {
  id: 'dispatch' | 'notification' | 'publish';
  name: string;
  meaning: string;
  from: keyof Times;
  to: keyof Times;
}

export const delays: readonly Delay[] = [
  { id: 'dispatch', name: 'Dispatch delay', meaning: 'ready → dispatched', from: 'ready', to: 'dispatched' },
  { id: 'notification', name: 'Notification delay', meaning: 'dispatched → started', from: 'dispatched', to: 'started' },
  { id: 'publish', name: 'Publish delay', meaning: 'ended → published', from: 'ended', to: 'published' },
];

/** Ascending, of the tasks of which both moments were observed. */
export function delaysOf(times: Times, delay: Delay): Float64Array {
  const from = times[delay.from];
  const to = times[delay.to];
  const values = new Float64Array(from.length);
  let count = 0;
  for (let task = 0; task < from.length; ++task) {
    const value = to[task]! - from[task]!;
    if (!Number.isNaN(value)) values[count++] = value;
  }
  return values.subarray(0, count).sort();
}
