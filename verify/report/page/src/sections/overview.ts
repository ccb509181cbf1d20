// Designs × scenarios at a glance.
import { body, figure, row, table } from '../charts/table';
import type { Context } from '../context';
import { element } from '../dom';
import { allDesigns } from '../figures/standings';
import { absent, microseconds } from '../format';

export function overview(context: Context): HTMLElement {
  const { scenarios } = context.report;
  const choose = (index: number): HTMLElement => {
    const click = (): void => context.selectScenario(scenarios[index]!);
    return element('button', { type: 'button', class: 'link', click }, scenarios[index]!.data.name);
  };
  const heads = [{ text: 'Design' }, ...scenarios.map((_, i) => ({ text: '', node: choose(i), number: true }))];
  const rows = allDesigns(scenarios.map((scenario) => scenario.data)).map((name) =>
    row(
      name,
      ...scenarios.map(({ data }) => {
        const design = data.designs.find((one) => one.name === name);
        if (!design) return figure(absent);
        const mark = (wins: boolean, text: string): Node => (wins ? element('strong', {}, `${text} ★`) : document.createTextNode(text));
        const cell = figure(mark(data.predicted_winner === name, microseconds(design.mean_ns)));
        const measured = design.measured ? microseconds(design.measured.median_ns) : 'not measured';
        cell.append(element('small', {}, mark(data.measured_winner === name, measured)));
        return cell;
      }),
    ),
  );
  return table(
    'Makespans in µs, predicted and below it measured; ★ beats each other design beyond noise. A scenario’s name shows its sections.',
    heads,
    body(...rows),
  );
}
