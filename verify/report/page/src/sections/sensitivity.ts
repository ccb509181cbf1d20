// What if a constant of the machine were half as large.
import { fold } from '../charts/fold';
import { body, inColumns, row, table } from '../charts/table';
import type { Context } from '../context';
import { element } from '../dom';
import { assumption } from '../figures/constants';
import { effects, type Effect } from '../figures/sensitivity';
import { absent, count, decimal, signedPercent } from '../format';
import type { Section } from '../section';

const shownAtOnce = 15;

export const section: Section = {
  id: 'sensitivity',
  title: 'Sensitivity',
  render(host, context) {
    const { data, designs } = context.scenario;
    if (data.sensitivity_tried === 0 && data.sensitivity.length === 0) {
      host.append(
        element(
          'p',
          { class: 'quiet' },
          'Sensitivity to the machine’s constants was not computed here; “tasktwin compare … --sensitivity” computes it.',
        ),
      );
      return;
    }
    const all = effects(
      data.sensitivity,
      designs.map((design) => design.predicted.makespan),
    );
    host.append(element('p', {}, opening(context, all)));
    if (all.length === 0) return;
    host.append(
      ...effectTables(
        context,
        all.slice(0, shownAtOnce),
        all[0]!.largest,
        'Change of the predicted makespan with one constant changed; a bar to the left is faster, – is no change.',
      ),
    );
    if (all.length > shownAtOnce) {
      const rest = all.slice(shownAtOnce);
      host.append(
        fold(
          context,
          `${rest.length} more constants with less effect`,
          ...effectTables(context, rest, all[0]!.largest, 'The same, of constants with less effect.'),
        ),
      );
    }
  },
};

function opening(context: Context, all: readonly Effect[]): string {
  const { data } = context.scenario;
  const moving = `${count(all.length)} move${all.length === 1 ? 's' : ''} a design by more than 0.05 %`;
  const tried = `Of ${count(data.sensitivity_tried)} constants, each halved by itself, ${moving}.`;
  if (data.designs.length < 2 || all.length === 0) return tried;
  const turning = all.filter((effect) => effect.new_winner !== null).map((effect) => effect.row.constant);
  if (turning.length === 0) return `${tried} None of them changes which design is fastest.`;
  return `${tried} Which design is fastest changes with ${turning.join(', ')}.`;
}

function effectTables(context: Context, shown: readonly Effect[], largest: number, caption: string): HTMLElement[] {
  return inColumns(context.scenario.data.designs).map(({ from, items, which }) =>
    effectTable(context, shown, largest, caption + which, from, items.length),
  );
}

/** Of the designs from `first` on, as many as `columns`. */
function effectTable(
  context: Context,
  shown: readonly Effect[],
  largest: number,
  caption: string,
  first: number,
  columns: number,
): HTMLElement {
  const { data } = context.scenario;
  const sources = new Map(data.machine.constants.map((constant) => [constant.name, constant.source]));
  const several = data.designs.length > 1;
  const heads = [
    { text: 'Constant' },
    { text: 'From', number: true },
    { text: 'to', number: true },
    ...data.designs.slice(first, first + columns).map((design) => ({ text: design.name, number: true })),
    ...(several ? [{ text: 'Fastest then' }] : []),
  ];
  const rows = shown.map(({ row: { constant, unit, value, factor }, changes, new_winner }) => {
    const guessed = assumption(sources.get(constant) ?? '') ? element('small', {}, 'assumed, not measured') : null;
    const winner =
      new_winner === null
        ? element('td', { class: 'quiet' }, 'the same')
        : element('td', {}, element('strong', {}, data.designs[new_winner]!.name));
    const number = (of: number): HTMLTableCellElement => element('td', { class: 'number' }, `${plain(of)} ${unit}`);
    const cells = [
      number(value),
      number(value * factor),
      ...changes.slice(first, first + columns).map((change) => effectCell(change, largest)),
      ...(several ? [winner] : []),
    ];
    return row(element('span', {}, constant, guessed), ...cells);
  });
  return table(caption, heads, body(...rows));
}

/** The figure, and a bar from the middle to the left (faster) or right (slower). */
function effectCell(change: number, largest: number): HTMLTableCellElement {
  if (Math.abs(change) < 0.00005) return element('td', { class: 'number quiet' }, absent);
  const bar = element('span', { class: `effect ${change < 0 ? 'faster' : 'slower'}`, 'aria-hidden': 'true' }, element('span'));
  const length = largest > 0 ? (50 * Math.abs(change)) / largest : 0;
  const piece = bar.firstElementChild as HTMLElement;
  piece.style.width = `${length}%`;
  piece.style[change < 0 ? 'right' : 'left'] = '50%';
  return element('td', { class: 'number' }, signedPercent(change, Math.abs(change) < 0.001 ? 2 : 1), bar);
}

/** With as many decimals as a constant deserves. */
const plain = (value: number): string => decimal(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 1 : 3);
