// Where the time of each run went: stacked bars, and the same figures as a table.
import type { Context } from '../context';
import { append, element } from '../dom';
import type { Cause } from '../figures/causes';
import { absent, microseconds, percent } from '../format';
import { choice } from './choice';
import { fold } from './fold';
import { body, figure, row, table } from './table';
import './charts.css';

export interface Account {
  design: string;
  measured: boolean;
  /** By cause, nanoseconds. */
  parts: number[];
}

export interface Breakdown {
  caption: string;
  /** "µs", "core·µs". */
  unit: string;
  /** What the parts add up to: "makespan". */
  total: string;
  causes: Cause[];
  accounts: Account[];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const share = (part: number, total: number): string => (total > 0 ? percent(part / total) : '');

function bar(account: Account, causes: readonly Cause[], scale: number): HTMLElement {
  const drawn = element('div', { class: 'bar' });
  const total = sum(account.parts);
  account.parts.forEach((part, i) => {
    if (!(part > 0)) return;
    const { label, fill } = causes[i]!;
    const wide = part / scale > 0.04 + 0.006 * label.length;
    const piece = element('span', { class: fill, title: `${label}: ${share(part, total)}` }, wide ? element('i', {}, label) : null);
    piece.style.width = `${(100 * part) / scale}%`;
    drawn.append(piece);
  });
  return drawn;
}

function bars(breakdown: Breakdown, causes: readonly Cause[], one_scale: boolean): HTMLElement {
  const totals = breakdown.accounts.map((account) => sum(account.parts));
  const longest = Math.max(0, ...totals);
  const drawn = element('div', { class: 'bars', 'aria-hidden': 'true' });
  breakdown.accounts.forEach((account, i) => {
    const name = element('span', {}, account.design, element('span', { class: 'quiet' }, account.measured ? ' measured' : ' predicted'));
    const length = element('span', { class: 'number' }, `${microseconds(totals[i]!)} ${breakdown.unit}`);
    for (const cell of [name, bar(account, causes, one_scale ? longest : totals[i]!), length]) {
      cell.classList.toggle('first', !account.measured);
      drawn.append(cell);
    }
  });
  return drawn;
}

const swatch = (cause: Cause): HTMLElement => element('span', { class: `swatch ${cause.fill}` });

function figures(breakdown: Breakdown, causes: readonly Cause[]): HTMLElement {
  const heads = [
    { text: 'Run' },
    { text: breakdown.total, unit: breakdown.unit, number: true },
    ...causes.map((cause) => ({ text: cause.label, unit: `${breakdown.unit}, share`, number: true, node: swatch(cause) })),
  ];
  const rows = breakdown.accounts.map((account, i) => {
    const total = sum(account.parts);
    const name = `${account.design} ${account.measured ? 'measured' : 'predicted'}`;
    const made = row(
      name,
      figure(microseconds(total)),
      ...account.parts.map((part) => (part > 0 ? figure(microseconds(part), share(part, total)) : figure(absent))),
    );
    made.classList.toggle('last', breakdown.accounts[i + 1]?.design !== account.design);
    return made;
  });
  return table(breakdown.caption, heads, body(...rows));
}

/** Causes that no run has are left out. Bars begin on one scale unless the runs' lengths are far apart. */
export function breakdown(host: HTMLElement, context: Context, whole: Breakdown): void {
  const kept = whole.causes.map((_, i) => i).filter((i) => whole.accounts.some((account) => account.parts[i]! > 0));
  const causes = kept.map((i) => whole.causes[i]!);
  const shown = { ...whole, accounts: whole.accounts.map((account) => ({ ...account, parts: kept.map((i) => account.parts[i] ?? 0) })) };
  const totals = shown.accounts.map((account) => sum(account.parts)).filter((total) => total > 0);
  if (totals.length === 0) {
    host.append(element('p', { class: 'quiet' }, 'No run took any time.'));
    return;
  }
  const one_scale = Math.max(...totals) <= 5 * Math.min(...totals);
  const place = element('div', {}, bars(shown, causes, one_scale));
  const legend = element('ul', { class: 'fills' }, ...causes.map((cause) => element('li', {}, swatch(cause), cause.label)));
  const scales = [
    { id: 'time', label: 'the same time scale' },
    { id: 'share', label: 'its own length' },
  ];
  append(
    host,
    legend,
    shown.accounts.length > 1 &&
      choice('Each bar has', scales, one_scale ? 'time' : 'share', (id) => place.replaceChildren(bars(shown, causes, id === 'time'))),
    place,
    figures(shown, causes),
    fold(context, 'What these mean', meanings(causes)),
  );
}

function meanings(causes: readonly Cause[]): HTMLElement {
  const list = element('dl', { class: 'meanings' });
  for (const cause of causes) list.append(element('dt', {}, swatch(cause), cause.label), element('dd', {}, cause.meaning));
  return list;
}
