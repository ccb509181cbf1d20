// The panel on the selected task: where its time went in each pane, and the tasks before and after it.
import type { Graph, Rows } from '../decode';
import { element } from '../dom';
import { count } from '../format';
import type { Pane } from './layout';
import { coreName } from './rows';
import { phaseTable } from './tooltip';
import { lastPredecessor, reasons } from './waits';

/** Longer lists are cut. */
const most = 40;

export function taskDetails(graph: Graph, panes: Pane[], task: number, select: (task: number | null) => void): HTMLElement[] {
  const { data } = graph;
  const kind = [
    `kernel ${data.kernels[graph.kernel[task]!] ?? ''}`,
    data.core_types[data.core_type[task]!] ?? '',
    data.operations[data.operation[task]!] ?? '',
  ];
  if (data.blocks[task]! > 1) kind.push(`${count(data.blocks[task]!)} blocks`);
  const parts: HTMLElement[] = [
    element('h3', { class: 'task-name' }, graph.names[task]!),
    element('p', { class: 'quiet' }, `task ${count(task)}; ${kind.filter((word, i) => word && kind.indexOf(word) === i).join(', ')}`),
  ];
  for (const pane of panes) {
    const core = pane.run.times.core[task]!;
    const where = core < 0 ? '' : `, ${coreName(pane.run, core)}`;
    parts.push(element('h4', {}, `${pane.design.data.name}, ${pane.measured ? 'measured' : 'predicted'}${where}`));
    if (!Number.isNaN(pane.run.times.started[task]!)) parts.push(phaseTable(pane, task));
    parts.push(element('ul', { class: 'reasons' }, ...reasons(graph, pane.run, task).map((reason) => element('li', {}, reason))));
  }
  const last = panes[0] ? lastPredecessor(graph, panes[0].run, task) : -1;
  parts.push(
    ...links('Predecessors', graph, graph.predecessors, task, last, select),
    ...links('Successors', graph, graph.successors, task, -1, select),
  );
  parts.push(element('button', { type: 'button', class: 'screen', click: () => select(null) }, 'Clear selection'));
  return parts;
}

function links(title: string, graph: Graph, rows: Rows, task: number, last: number, select: (task: number) => void): HTMLElement[] {
  const tasks = [...rows.task.subarray(rows.start[task], rows.start[task + 1])];
  const list = element('ul', { class: 'tasks' });
  for (const other of tasks.slice(0, most)) {
    const button = element(
      'button',
      { type: 'button', class: 'link', 'data-task': other, click: () => select(other) },
      graph.names[other]!,
    );
    list.append(element('li', {}, button, other === last && ' (the last to finish)'));
  }
  if (tasks.length > most) list.append(element('li', { class: 'quiet' }, `and ${count(tasks.length - most)} more`));
  return [element('h4', {}, `${title}: ${count(tasks.length)}`), list];
}
