// How long bodies took, by kernel: predicted beside measured.
import { body, figure, row, table } from '../charts/table';
import type { Design, Scenario } from '../decode';
import { element } from '../dom';
import { bodiesByKernel, type Bodies } from '../figures/kernels';
import { absent, count, microseconds, signedPercent } from '../format';
import type { Section } from '../section';

export const section: Section = {
  id: 'kernels',
  title: 'Bodies by kernel',
  render(host, { scenario }) {
    const measured = scenario.designs.some((design) => design.measured);
    const heads = [
      { text: 'Kernel' },
      { text: 'Tasks', number: true },
      { text: 'Mean', unit: 'predicted, µs', number: true },
      { text: '95th percentile', unit: 'predicted, µs', number: true },
      ...(measured
        ? [
            { text: 'Mean', unit: 'measured, µs', number: true },
            { text: '95th percentile', unit: 'measured, µs', number: true },
            { text: 'Mean', unit: 'predicted over measured', number: true },
          ]
        : []),
    ];
    host.append(
      element('p', {}, 'From the start of a body to its end, of the tasks that ran; of the measured run that has phase stamps.'),
      table('Durations of bodies, by design and kernel.', heads, ...scenario.designs.map((design) => group(scenario, design, heads.length, measured))),
    );
  },
};

function group(scenario: Scenario, design: Design, columns: number, measured: boolean): HTMLTableSectionElement {
  const predicted = bodiesByKernel(scenario.graph, design.predicted);
  const of = design.measured && bodiesByKernel(scenario.graph, design.measured);
  const head = element('tr', {}, element('th', { scope: 'rowgroup', colspan: columns }, design.data.name));
  const rows = scenario.graph.data.kernels.flatMap((kernel, i) => {
    const bodies = predicted[i]!;
    return bodies.count > 0 ? [kernelRow(kernel, bodies, of ? of[i]! : null, measured)] : [];
  });
  return body(head, ...rows);
}

function kernelRow(kernel: string, predicted: Bodies, measured: Bodies | null, shown: boolean): HTMLTableRowElement {
  const of = (bodies: Bodies | null, ns: (bodies: Bodies) => number): HTMLTableCellElement =>
    figure(bodies && bodies.count > 0 ? microseconds(ns(bodies)) : absent);
  const difference = measured && measured.mean > 0 ? signedPercent(predicted.mean / measured.mean - 1) : absent;
  const cells = [figure(count(predicted.count)), of(predicted, ({ mean }) => mean), of(predicted, ({ p95 }) => p95)];
  if (shown) cells.push(of(measured, ({ mean }) => mean), of(measured, ({ p95 }) => p95), figure(difference));
  return row(kernel, ...cells);
}
