// Text that is folded away on the screen and open in print.
import type { Context } from '../context';
import { append, element } from '../dom';
import './charts.css';

type Content = Parameters<typeof append>[1];

export function fold(context: Context, summary: string, ...content: Content[]): HTMLDetailsElement {
  const details = element('details', {}, element('summary', {}, summary), ...content);
  const print = matchMedia('print');
  let open = false;
  const change = (event: MediaQueryListEvent): void => {
    if (event.matches) open = details.open;
    details.open = event.matches || open;
  };
  print.addEventListener('change', change);
  context.onEnd(() => print.removeEventListener('change', change));
  return details;
}
