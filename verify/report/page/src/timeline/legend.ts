// What the colours mean, in a row.
import { element } from '../dom';
import type { LegendEntry } from './colouring';

export function legendList(title: string, entries: LegendEntry[]): HTMLElement {
  const items = entries.map(({ colour, text, hatched }) => {
    const patch = element('span', { class: hatched ? 'patch hatched' : 'patch', style: `--patch: ${colour}` });
    return element('li', {}, patch, text);
  });
  return element('ul', { 'aria-label': `Colours of ${title}` }, element('li', { class: 'quiet' }, title), ...items);
}
