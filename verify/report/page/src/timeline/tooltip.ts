// What is under the pointer, in words.
import type { Graph } from '../decode';
import { element } from '../dom';
import { duration, exact, signedDuration } from '../format';
import type { Pane } from './layout';
import { coreName } from './rows';
import { phases, reasons } from './waits';

export function taskTip(graph: Graph, pane: Pane, task: number): HTMLElement {
  const { run } = pane;
  const core = run.times.core[task]!;
  const place = core < 0 ? '' : `, ${coreName(run, core)} (${run.data.cores[core] ?? ''})`;
  const what = `${graph.data.kernels[graph.kernel[task]!] ?? ''}${place}, ${pane.measured ? 'measured' : 'predicted'}`;
  const tip = element(
    'div',
    {},
    element('strong', {}, graph.names[task]!),
    element('div', { class: 'quiet' }, what),
    phaseTable(pane, task),
  );
  const difference = startDifference(pane, task);
  if (!Number.isNaN(difference)) {
    tip.append(element('p', {}, `Start predicted − measured: ${signedDuration(difference)}`));
  }
  for (const reason of reasons(graph, run, task)) tip.append(element('p', {}, reason));
  return tip;
}

function startDifference(pane: Pane, task: number): number {
  if (!pane.design.measured) return NaN;
  return pane.design.predicted.times.started[task]! - pane.design.measured.times.started[task]!;
}

/** A row a phase: when, and how long after the one before. */
export function phaseTable(pane: Pane, task: number): HTMLTableElement {
  const body = element('tbody');
  for (const { name, at, after } of phases(pane.run, task)) {
    const when = Number.isNaN(at) ? 'not observed' : exact(at);
    const later = Number.isNaN(after) ? '' : `+${duration(after)}`;
    body.append(
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, name),
        element('td', { class: 'number' }, when),
        element('td', { class: 'number' }, later),
      ),
    );
  }
  return element('table', { class: 'phases' }, body);
}

export function stepTip(pane: Pane, label: string, kind: number, begin: number, end: number): HTMLElement {
  const what = `${pane.run.data.step_kinds[kind] ?? 'busy'}: ${duration(end - begin)}, from ${exact(begin)}`;
  return element('div', {}, element('strong', {}, label), element('div', {}, what));
}

/** Beside the pointer, inside `host`. */
export function placeTip(tip: HTMLElement, host: HTMLElement, x: number, y: number): void {
  const room = host.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const left = x + 16 + size.width > room.width ? x - 16 - size.width : x + 16;
  const below = room.top + y + 16 + size.height > innerHeight ? y - 16 - size.height : y + 16;
  tip.style.transform = `translate(${Math.round(Math.max(0, left))}px, ${Math.round(Math.max(-room.top, below))}px)`;
}
