// What the causes in a run's accounts are called here, what they mean, and how they are filled.

export interface Cause {
  label: string;
  meaning: string;
  /** Class names of charts.css: a colour, and a pattern that tells it from its neighbours without the colour. */
  fill: string;
}

const path: Record<string, Cause> = {
  body: { label: 'body', meaning: 'a body that the path’s next task needed, or the last one', fill: 'fill-1' },
  bandwidth: { label: 'bandwidth', meaning: 'the part of a body beyond its time on an otherwise idle machine', fill: 'fill-5 dots' },
  waves: { label: 'waves', meaning: 'later blocks of a grid waiting for room that earlier ones of it held', fill: 'fill-1 up' },
  wait_for_data: {
    label: 'wait for data',
    meaning: 'a body that the next task did not need, but had to wait for (a barrier)',
    fill: 'fill-4 up',
  },
  wait_for_core: { label: 'wait for core', meaning: 'a body that had the core or mailbox place of the next task', fill: 'fill-4' },
  stream: { label: 'stream', meaning: 'a body that the next task did not need, before it in its stream', fill: 'fill-7 dots' },
  copy_engine: { label: 'copy engine', meaning: 'a copy that had the engine which the next one was to take', fill: 'fill-8 up' },
  no_room: {
    label: 'no room',
    meaning: 'a kernel on the device waiting for cores that others’ blocks held, or for its turn to be resident',
    fill: 'fill-5',
  },
  hardware_queue: { label: 'hardware queue', meaning: 'a kernel that could have started, behind another in a hardware queue', fill: 'fill-5 up' },
  head_of_line: { label: 'head of line', meaning: 'a ready task with a core free for it, behind another in its ready queue', fill: 'fill-2 dots' },
  gang: { label: 'gang', meaning: 'a body that had one of the other cores which the task needed at the same time', fill: 'fill-4 dots' },
  dispatch: { label: 'dispatch', meaning: 'a control core busy between what made a hand-over possible and the hand-over', fill: 'fill-2' },
  lock: { label: 'lock', meaning: 'a control core at the lock of a ready queue', fill: 'fill-2 up' },
  queue: { label: 'queue', meaning: 'through a ready queue or list without a control core', fill: 'fill-7 up' },
  notification: { label: 'notification', meaning: 'signalling latency: mailbox, completion, counter, event', fill: 'fill-3' },
  collective: { label: 'collective', meaning: 'a collective, once its last rank is there', fill: 'fill-5 up' },
  skew: { label: 'skew', meaning: 'all other ranks of a collective waiting for its last', fill: 'fill-4 dots' },
  start_up: { label: 'start-up', meaning: 'all resident cores there, to their first look for work', fill: 'fill-8 up' },
  start: { label: 'start', meaning: 'the core has the task and is free, until the body starts', fill: 'fill-3 up' },
  publish: { label: 'publish', meaning: 'body ended, until its completion is written and successors are released', fill: 'fill-3 dots' },
  launch: { label: 'launch', meaning: 'the host launching kernels, and a launch on its way', fill: 'fill-6' },
  host_own: { label: 'host, own time', meaning: 'a captured program’s host between its calls', fill: 'fill-2 dots' },
  host_call: { label: 'host, calls', meaning: 'a captured program’s host in calls, without what they wait for', fill: 'fill-6 up' },
  host_sync: { label: 'host, synchronising', meaning: 'a captured program’s host in a call that blocks', fill: 'fill-6 dots' },
  host_blocked: {
    label: 'host blocked',
    meaning: 'the host blocked by the device: a synchronisation, a stream that holds no more launches',
    fill: 'fill-6 dots',
  },
  submit: { label: 'submit', meaning: 'orchestrators submitting tasks', fill: 'fill-6 up' },
  window: { label: 'window', meaning: 'orchestrators waiting for room in the window, and the bodies that held it', fill: 'fill-7' },
  replays: { label: 'earlier runs', meaning: 'runs of the graph before the last one', fill: 'fill-8' },
  rest: { label: 'rest', meaning: 'unexplained time', fill: 'fill-8 dots' },
};

const idle: Record<string, Cause> = {
  busy: { label: 'busy', meaning: 'a body runs', fill: 'fill-1' },
  given: { label: 'given to control cores', meaning: 'the core is a control core’s, or of no task’s kind', fill: 'fill-8 dots' },
  no_ready_work: { label: 'no ready work', meaning: 'no task that the core could take is ready', fill: 'fill-8' },
  dispatch: { label: 'dispatch', meaning: 'one is ready and has not been handed over or launched', fill: 'fill-2' },
  gang: { label: 'gang', meaning: 'only tasks that need several cores at once are ready, and too few are idle', fill: 'fill-4 dots' },
  head_of_line: { label: 'head of line', meaning: 'a ready task waits behind another task in its queue', fill: 'fill-2 dots' },
  notification: {
    label: 'notification',
    meaning: 'one has been handed over to the core and is on its way: hops, queue, start',
    fill: 'fill-3 up',
  },
  no_room: { label: 'no room', meaning: 'a kernel on the device does not fit next to the running ones, or waits for its turn', fill: 'fill-5' },
  hardware_queue: { label: 'hardware queue', meaning: 'a ready kernel waits behind another in a hardware queue', fill: 'fill-5 up' },
  stream: { label: 'stream', meaning: 'a ready kernel waits behind another in its stream', fill: 'fill-7 dots' },
  host_blocked: { label: 'host blocked', meaning: 'the host that is to launch a ready kernel is blocked by the device', fill: 'fill-6 dots' },
  window: { label: 'window', meaning: 'nothing is ready while orchestrators wait for room in the window', fill: 'fill-7' },
  tail: { label: 'tail', meaning: 'the core’s last task is done, and nothing that it could take is ready', fill: 'fill-8 up' },
};

/** A word that is not in the table is shown as it is, filled by its place among the causes. */
function named(table: Record<string, Cause>, word: string, place: number): Cause {
  const patterns = ['', ' up', ' dots'];
  const fill = `fill-${1 + (place % 8)}${patterns[Math.floor(place / 8) % patterns.length]}`;
  return table[word] ?? { label: word.replaceAll('_', ' '), meaning: '', fill };
}

export const pathCause = (word: string, place: number): Cause => named(path, word, place);
export const idleCause = (word: string, place: number): Cause => named(idle, word, place);
