// The page of a search: what was found, a table to sort and to filter, pictures of all points, what each axis does.
import { body, figure, row, table, words } from '../charts/table';
import { clearHeadings } from '../clear_headings';
import type { Provenance, SearchData } from '../data';
import { element } from '../dom';
import { downloadCsv } from '../download';
import { count, decimal, duration, percent } from '../format';
import type { Theme } from '../theme';
import { columnsOf, rawOf } from './columns';
import { front, parallel } from './picture';
import { csv, filtered, type Order, type PointColumn, sorted } from './points';
import './search.css';
import { PointTable } from './table';

/** Draws the page; `onTheme` takes what draws the colours anew. */
export function drawSearch(
  title: string,
  provenance: Provenance,
  data: SearchData,
  theme: Theme,
  onTheme: (draw: () => void) => void,
): void {
  document.title = title;
  const toggle = element('button', { type: 'button', class: 'theme', click: () => theme.toggle() });
  const points = new Points(data, theme);
  const colour = (): void => {
    toggle.textContent = theme.name === 'dark' ? 'Light colours' : 'Dark colours';
    points.redraw();
  };
  const parts: [string, string, HTMLElement[]][] = [
    ['points', 'Points', points.parts],
    ['front', 'Makespan against ' + data.cost, [points.front.figure]],
  ];
  if (data.importance.length > 0) parts.push(['importance', 'What each axis does', [importance(data)]]);
  if (data.skipped.length > 0) parts.push(['skipped', 'What was refused', [skipped(data)]]);
  const links = element('nav', { class: 'links', 'aria-label': 'Sections' }, ...parts.map(([id, name]) => element('a', { href: `#${id}` }, name)));
  clearHeadings(links);
  document.body.replaceChildren(
    element('a', { class: 'skip', href: '#main' }, 'Skip to the report'),
    element('header', { class: 'page' }, element('h1', {}, title), toggle),
    links,
    element(
      'main',
      { id: 'main' },
      element('p', {}, data.summary),
      element('p', { class: 'headline' }, headline(data)),
      ...data.verdict.map((sentence) => element('p', {}, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`)),
      ...parts.map(([id, name, children]) => element('section', { id }, element('h2', {}, name), ...children)),
      element('p', { class: 'quiet' }, `Made by tasktwin ${provenance.version} (${provenance.commit}): `, element('code', {}, provenance.command)),
    ),
  );
  onTheme(colour);
  colour();
  document.documentElement.dataset.state = 'ready';
  performance.mark('tasktwin-ready');
}

function headline(data: SearchData): string {
  const { points } = data;
  const values = data.axes.flatMap((axis, at) => {
    const value = axis.values[points.values[at]![0]!];
    return value === undefined ? [] : [`${axis.path} ${value}`];
  });
  return `Best: ${data.designs[points.design[0]!]} with ${duration(points.makespan_ns[0]!)}${values.length ? ` at ${values.join(', ')}` : ''}.`;
}

/** The table, its filters and the pictures, which show the same points. */
class Points {
  readonly parts: HTMLElement[];
  readonly front;
  private readonly columns: PointColumn[];
  private readonly lines;
  private readonly list: PointTable;
  private readonly filters = new Map<number, number>();
  private order: Order;
  private shown: number[] = [];

  constructor(
    private readonly data: SearchData,
    theme: Theme,
  ) {
    this.columns = columnsOf(data);
    this.order = { column: this.columns.findIndex(({ name }) => name === 'slower'), descending: false };
    this.list = new PointTable(
      this.columns,
      (i) => data.points.front[i] === 1,
      (column) => this.sort(column),
    );
    this.lines = parallel(data, theme);
    this.front = front(data, theme);
    this.parts = [this.choices(), this.list.whole, this.lines.figure];
    this.update();
  }

  redraw(): void {
    this.lines.draw(this.shown);
    this.front.draw(this.shown);
  }

  private sort(column: number): void {
    this.order = { column, descending: this.order.column === column && !this.order.descending };
    this.update();
  }

  private update(): void {
    const passing = filtered(this.columns, this.data.points.number.length, this.filters);
    this.shown = sorted(this.columns, passing, this.order);
    this.list.show(this.shown, this.order, this.data.points.number.length);
    this.redraw();
  }

  private choices(): HTMLElement {
    const selects = this.columns.flatMap((column, at) => {
      if (column.choices.length < 2) return [];
      const choose = (event: Event): void => {
        const { value } = event.target as HTMLSelectElement;
        if (value === '') this.filters.delete(at);
        else this.filters.set(at, Number(value));
        this.update();
      };
      const options = column.choices.map(({ key, text }) => element('option', { value: key }, text));
      return [element('label', {}, column.name, element('select', { change: choose }, element('option', { value: '' }, 'all'), ...options))];
    });
    const download = (): void => downloadCsv('search', csv(this.columns, this.shown, rawOf(this.data, this.columns)));
    return element('div', { class: 'filters' }, ...selects, element('button', { type: 'button', click: download }, 'Download as CSV'));
  }
}

function importance(data: SearchData): HTMLElement {
  return table(
    'Of its values the makespan of the worst over that of the best: on average, all others as they come, with its share of the variance that axes explain, and by the best point of each value in one design.',
    [
      { text: 'axis' },
      { text: 'on average', number: true },
      { text: 'share', number: true },
      { text: 'best on average' },
      { text: 'by best points', number: true },
      { text: 'best value' },
      { text: 'of design' },
    ],
    body(
      ...data.importance.map((axis) =>
        row(
          axis.path,
          figure(`${decimal(axis.factor, 3)} ×`),
          figure(percent(axis.share)),
          words(axis.best),
          figure(`${decimal(axis.factor_by_point, 3)} ×`),
          words(axis.best_by_point),
          words(axis.of_design ?? 'all'),
        ),
      ),
    ),
  );
}

function skipped(data: SearchData): HTMLElement {
  return table(
    'Points that the scenario, the machine or the design refused.',
    [{ text: 'why' }, { text: 'points', number: true }],
    body(...data.skipped.map(({ reason, points }) => row(reason, figure(count(points))))),
  );
}
