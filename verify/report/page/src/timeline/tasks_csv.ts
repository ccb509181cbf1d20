// The tasks of the runs that are shown, as a table for other programs: one row a task and run, times in ns.
import { csvLine } from '../download';
import type { Graph } from '../decode';
import type { Pane } from './layout';

const phases = ['ready', 'dispatched', 'received', 'started', 'ended', 'published'] as const;

export function tasksCsv(graph: Graph, panes: readonly Pane[]): string {
  const number = (value: number): string => (Number.isNaN(value) || value === -1 ? '' : String(value));
  const lines = [csvLine(['design', 'run', 'task', 'name', 'kernel', 'core', ...phases.map((phase) => `${phase}_ns`)])];
  for (const { design, run, measured } of panes) {
    for (let task = 0; task < graph.size; ++task) {
      lines.push(
        csvLine([
          design.data.name,
          measured ? 'measured' : 'predicted',
          String(task),
          graph.names[task]!,
          graph.data.kernels[graph.kernel[task]!] ?? '',
          number(run.times.core[task]!),
          ...phases.map((phase) => number(run.times[phase][task]!)),
        ]),
      );
    }
  }
  return lines.join('');
}
