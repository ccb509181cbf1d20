// What the ruler measures, as a table: a column for each of the timelines.
import { body, figure, row, table } from '../charts/table';
import type { Graph } from '../decode';
import { element } from '../dom';
import { absent, count, duration, exact, percent } from '../format';
import type { Pane } from './layout';
import { type Range, type Sum, type Sums, sumsBetween } from './ruler';

export function rulerPanel(
  graph: Graph,
  panes: readonly Pane[],
  range: Range,
  shows: (group: number) => boolean,
  remove: () => void,
): HTMLElement[] {
  const sums = panes.map((pane) => sumsBetween(graph, pane.run, range, shows));
  const heads = [
    { text: 'In the range' },
    ...panes.map((pane) => ({ text: pane.design.data.name, unit: pane.measured ? 'measured' : 'predicted', number: true })),
  ];
  const line = (head: string, cell: (sum: Sums) => HTMLTableCellElement): HTMLTableRowElement => row(head, ...sums.map(cell));
  const word = panes[0]?.run.data.core_word ?? 'core';
  const rows = [
    line(`${word}s busy`, ({ held, cores }) => figure(cores > 0 ? percent(held / cores) : absent, duration(held))),
    line('tasks started', ({ started }) => figure(count(started))),
    line('tasks ended', ({ ended }) => figure(count(ended))),
    ...named(sums.map(({ groups }) => groups)).map((name) => line(name, ({ groups }) => summed(groups, name))),
    ...named(sums.map(({ steps }) => steps)).map((name) => line(`control cores: ${name}`, ({ steps }) => summed(steps, name))),
  ];
  const caption = `From ${exact(range.begin)} to ${exact(range.end)}: ${duration(range.end - range.begin)}. Time of bodies and steps inside it, and how many.`;
  return [table(caption, heads, body(...rows)), element('button', { type: 'button', class: 'screen', click: remove }, 'Remove the ruler')];
}

function named(all: readonly (readonly Sum[])[]): string[] {
  return [...new Set(all.flatMap((sums) => sums.map(({ name }) => name)))];
}

function summed(sums: readonly Sum[], name: string): HTMLTableCellElement {
  const found = sums.find((sum) => sum.name === name);
  return found ? figure(duration(found.time), `${count(found.count)} ×`) : figure(absent);
}
