// Tables of figures.
import { element } from '../dom';
import { csvOfTable, downloadCsv } from '../download';
import './charts.css';

type Child = Node | string | null;

export interface Head {
  text: string;
  /** Of the column's figures, below its name; "" where each cell has its own. */
  unit?: string;
  number?: boolean;
  node?: Node;
}

/** With its heads in one row, and scrolling sideways where it is wider than the page. */
export function table(caption: Child, heads: readonly Head[], ...bodies: HTMLTableSectionElement[]): HTMLElement {
  const row = element('tr');
  for (const head of heads) {
    row.append(
      element(
        'th',
        { scope: 'col', class: head.number ? 'number' : null },
        head.node,
        head.text,
        head.unit ? element('small', {}, head.unit) : null,
      ),
    );
  }
  const whole = element('table', { class: 'figures' }, element('caption', {}, caption), element('thead', {}, row), ...bodies);
  const download = (): void => downloadCsv(whole.closest('section')?.id ?? 'table', csvOfTable(whole));
  const button = element('button', { type: 'button', class: 'link screen csv', title: 'Download this table as CSV', click: download }, 'CSV');
  return element('div', {}, element('div', { class: 'scroll' }, whole), button);
}

export function body(...rows: HTMLTableRowElement[]): HTMLTableSectionElement {
  return element('tbody', {}, ...rows);
}

export function row(head: Child, ...cells: HTMLTableCellElement[]): HTMLTableRowElement {
  return element('tr', {}, element('th', { scope: 'row' }, head), ...cells);
}

/** More designs than that do not fit side by side. */
const columnsAtOnce = 8;

/** In pieces of as many columns; the words say which of how many, "" where there is but one piece. */
export function inColumns<Item>(items: readonly Item[]): { from: number; items: Item[]; which: string }[] {
  const pieces = [];
  for (let from = 0; from < items.length; from += columnsAtOnce) {
    const piece = items.slice(from, from + columnsAtOnce);
    const which = items.length > columnsAtOnce ? ` Designs ${from + 1} to ${from + piece.length} of ${items.length}.` : '';
    pieces.push({ from, items: piece, which });
  }
  return pieces;
}

/** A cell of words. */
export function words(...content: Child[]): HTMLTableCellElement {
  return element('td', {}, ...content);
}

/** A cell with a figure, and below it, smaller, what it amounts to. */
export function figure(text: Child, below: string = ''): HTMLTableCellElement {
  return element('td', { class: 'number' }, text, below ? element('small', {}, below) : null);
}
