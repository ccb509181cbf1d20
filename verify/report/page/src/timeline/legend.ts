// What the colours mean, in a row. Where they tell groups of tasks apart, each is a button that shows its group alone.
import { element } from '../dom';
import type { LegendEntry } from './colouring';

export interface Filter {
  /** Groups that were asked for; with none all are shown. */
  chosen: ReadonlySet<number>;
  choose(group: number): void;
}

export function legendList(title: string, entries: LegendEntry[], filter: Filter | null = null): HTMLElement {
  const items = entries.map(({ colour, text, hatched }, group) => {
    const patch = element('span', { class: hatched ? 'patch hatched' : 'patch', style: `--patch: ${colour}` });
    if (!filter || entries.length < 2) return element('li', {}, patch, text);
    const pressed = filter.chosen.has(group);
    const button = element(
      'button',
      {
        type: 'button',
        class: filter.chosen.size === 0 || pressed ? 'link' : 'link left-out',
        'aria-pressed': String(pressed),
        title: pressed ? `Show ${text} no longer` : `Show ${text}`,
        click: () => filter.choose(group),
      },
      patch,
      text,
    );
    return element('li', {}, button);
  });
  return element('ul', { 'aria-label': `Colours of ${title}` }, element('li', { class: 'quiet' }, title), ...items);
}
