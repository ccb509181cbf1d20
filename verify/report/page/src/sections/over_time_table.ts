// The figures behind the charts over time.
import { body, figure, row, table } from '../charts/table';
import type { Design } from '../decode';
import type { Quantity } from '../figures/quantities';
import { runs, type Survey } from '../figures/survey';
import { count, decimal, duration } from '../format';

const units = (quantity: Quantity, designs: readonly Design[]): string =>
  [...new Set(designs.map((design) => quantity.unit(design.predicted)))].join(' or ');

export function summaryTable(designs: readonly Design[], shown: readonly Survey[]): HTMLElement {
  const heads = [
    { text: 'Run' },
    ...shown.flatMap(({ quantity }) => [
      { text: `${quantity.name}: mean`, unit: units(quantity, designs), number: true },
      { text: 'most', unit: 'first at', number: true },
    ]),
  ];
  const rows = designs.flatMap((design) =>
    runs(design).map((run, which) =>
      row(
        `${design.data.name} ${which === 0 ? 'predicted' : 'measured'}`,
        ...shown.flatMap(({ quantity, summaries }) => {
          const summary = summaries[design.index]![which];
          if (!summary) return [figure(quantity.missing(design.predicted)), figure('')];
          const of = quantity.outOf(run);
          const share = of > 0 ? `of ${count(of)}` : '';
          return [
            figure(decimal(summary.mean / quantity.scale, quantity.digits), share),
            figure(decimal(summary.most / quantity.scale, quantity.most_digits), summary.at === null ? '' : duration(summary.at)),
          ];
        }),
      ),
    ),
  );
  return table('Means over the run’s length, and the most at any moment.', heads, body(...rows));
}
