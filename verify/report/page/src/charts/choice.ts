// One of a few ways to look at something, as radio buttons.
import { element } from '../dom';
import './charts.css';

let made = 0;

export interface Option {
  id: string;
  label: string;
}

/** Calls `change` with the id of what the reader chooses; `chosen` is it at first. */
export function choice(legend: string, options: readonly Option[], chosen: string, change: (id: string) => void): HTMLElement {
  const name = `choice-${++made}`;
  const labels = options.map((option) => {
    const input = element('input', { type: 'radio', name, value: option.id, checked: option.id === chosen });
    return element('label', {}, input, element('span', {}, option.label));
  });
  const changed = (event: Event): void => change((event.target as HTMLInputElement).value);
  return element('fieldset', { class: 'choice screen', change: changed }, element('legend', {}, legend), ...labels);
}
