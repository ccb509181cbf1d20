// A table of as many rows as there are points, of which those in sight are drawn.
import { element } from '../dom';
import { count } from '../format';
import type { Order, PointColumn } from './points';

const rowHeight = 26;
const beyond = 10;

export class PointTable {
  readonly whole: HTMLElement;
  private readonly body = element('tbody');
  private readonly scroll: HTMLElement;
  private readonly heads: HTMLTableCellElement[];
  private readonly said = element('p', { class: 'quiet', 'aria-live': 'polite' });
  private points: readonly number[] = [];
  private first = -1;

  constructor(
    private readonly columns: readonly PointColumn[],
    private readonly isOnFront: (i: number) => boolean,
    sort: (column: number) => void,
  ) {
    this.heads = columns.map((column, at) =>
      element(
        'th',
        { scope: 'col', class: column.number ? 'number' : null },
        element('button', { type: 'button', class: 'link', click: () => sort(at) }, column.name),
      ),
    );
    const table = element(
      'table',
      { class: 'figures points', 'aria-rowcount': 0 },
      element('thead', {}, element('tr', {}, ...this.heads)),
      this.body,
    );
    this.scroll = element('div', { class: 'scroll points', tabindex: 0, role: 'region', 'aria-label': 'Points', scroll: () => this.draw() }, table);
    this.whole = element('div', {}, this.scroll, this.said);
  }

  show(points: readonly number[], order: Order, all: number): void {
    this.points = points;
    this.first = -1;
    this.heads.forEach((head, at) =>
      head.setAttribute('aria-sort', at !== order.column ? 'none' : order.descending ? 'descending' : 'ascending'),
    );
    this.scroll.querySelector('table')!.setAttribute('aria-rowcount', String(points.length + 1));
    this.said.textContent = points.length === all ? `${count(all)} points` : `${count(points.length)} of ${count(all)} points`;
    this.scroll.scrollTop = 0;
    this.draw();
  }

  private draw(): void {
    const height = this.scroll.clientHeight || 20 * rowHeight;
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / rowHeight) - beyond);
    if (first === this.first) return;
    this.first = first;
    const last = Math.min(this.points.length, first + Math.ceil(height / rowHeight) + 2 * beyond);
    const rows = this.points.slice(first, last).map((i, at) => this.row(i, first + at));
    this.body.replaceChildren(this.space(first), ...rows, this.space(this.points.length - last));
  }

  private row(i: number, at: number): HTMLTableRowElement {
    const cells = this.columns.map((column) => element('td', { class: column.number ? 'number' : null }, column.text(i)));
    return element('tr', { 'aria-rowindex': at + 2, class: this.isOnFront(i) ? 'front' : null }, ...cells);
  }

  private space(rows: number): HTMLTableRowElement {
    const cell = element('td', { colspan: this.columns.length });
    cell.style.height = `${rows * rowHeight}px`;
    return element('tr', { class: 'space', 'aria-hidden': 'true' }, cell);
  }
}
