// What keys and pointer do, for the reader.
import { element } from '../dom';

const said: [string, string][] = [
  ['+ −', 'zoom; or Ctrl and wheel'],
  ['← → ↑ ↓', 'move; or drag; Shift and wheel along the time'],
  ['Shift drag', 'zoom to what is between'],
  ['drag the axis', 'lay a ruler; its sums stand below'],
  ['m', 'lay the ruler over what is seen'],
  ['Home End', 'begin, end of the run'],
  ['0', 'all of it; or double click'],
  ['[ ]', 'lower, higher rows'],
  ['/', 'search; Enter jumps'],
  ['n p', 'next, previous hit'],
  ['Enter', 'select the hit, or what is in the middle; or click'],
  ['Shift ← →', 'the neighbour on the same core'],
  ['Esc', 'clear selection, search and ruler'],
];

export function keyHelp(): HTMLElement {
  const list = element('dl', {});
  for (const [keys, what] of said) {
    const names = (keys.includes('axis') ? [keys] : keys.split(' ')).flatMap((key) => [element('kbd', {}, key), ' ']);
    list.append(element('div', {}, element('dt', {}, ...names), element('dd', {}, what)));
  }
  return element('details', { class: 'keys screen' }, element('summary', {}, 'Keys and pointer'), list);
}
