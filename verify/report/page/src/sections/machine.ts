// The machine and every constant of it, with where it comes from.
import { fold } from '../charts/fold';
import { body, row, table } from '../charts/table';
import type { ConstantData } from '../data';
import { element } from '../dom';
import { assumption } from '../figures/constants';
import { absent, count, decimal } from '../format';
import type { Section } from '../section';
import './sections.css';

export const section: Section = {
  id: 'machine',
  title: 'Machine',
  render(host, context) {
    const { machine } = context.scenario.data;
    const assumed = machine.constants.filter((constant) => assumption(constant.source) === 'whole').length;
    const hash = element('code', {}, machine.hash);
    host.append(
      element(
        'p',
        {},
        element('strong', {}, machine.name),
        machine.about ? `, ${machine.about}` : '',
        `. File ${machine.file}, hash `,
        hash,
        '.',
      ),
    );
    if (machine.inherited) host.append(element('p', {}, `${machine.inherited}, not measured on this machine.`));
    const many = `${count(machine.constants.length)} constants, ${assumed === 0 ? 'none' : count(assumed)} of them assumed`;
    const caption = `${many}; one source for several in a row is given once.`;
    const heads = [{ text: 'Constant' }, { text: 'Value', number: true }, { text: '95 % interval', number: true }, { text: 'Unit' }, { text: 'Source' }];
    host.append(fold(context, many, table(caption, heads, body(...bySource(machine.constants).flatMap(rows)))));
  },
};

/** Constants that follow each other and have the same source stand together. */
function bySource(constants: readonly ConstantData[]): ConstantData[][] {
  const groups: ConstantData[][] = [];
  for (const constant of constants) {
    const last = groups[groups.length - 1];
    if (last && last[0]!.source === constant.source && last[0]!.inherited === constant.inherited) last.push(constant);
    else groups.push([constant]);
  }
  return groups;
}

function rows(group: readonly ConstantData[]): HTMLTableRowElement[] {
  return group.map((constant, i) => {
    const value = element('td', { class: 'number' }, exactly(constant.value));
    const interval = constant.interval ? `${exactly(constant.interval[0])} to ${exactly(constant.interval[1])}` : absent;
    return row(
      constant.name,
      value,
      element('td', { class: 'number' }, interval),
      element('td', {}, constant.unit || 'ratio'),
      ...(i === 0 ? [source(constant, group.length)] : []),
    );
  });
}

function source({ source: text, inherited }: ConstantData, rowspan: number): HTMLTableCellElement {
  const assumed = assumption(text);
  const mark = assumed ? element('span', { class: 'badge' }, assumed === 'whole' ? 'assumed' : 'partly assumed') : null;
  const from = inherited ? element('span', { class: 'badge' }, `of ${inherited}`) : null;
  return element(
    'td',
    { class: 'source', rowspan: rowspan > 1 ? rowspan : null },
    mark,
    mark ? ' ' : '',
    from,
    from ? ' ' : '',
    text || 'no source given',
  );
}

/** All digits that the file has. */
function exactly(value: number): string {
  if (!Number.isFinite(value)) return absent;
  const text = String(value);
  return text.includes('e') ? text : decimal(value, (text.split('.')[1] ?? '').length);
}
