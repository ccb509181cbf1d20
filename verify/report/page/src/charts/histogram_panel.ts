// A histogram over a logarithmic axis of time: predicted as bars, measured as an outline.
import { element, svg } from '../dom';
import type { Histogram } from '../figures/histogram';
import { decimal } from '../format';
import './charts.css';

const width = 432;
const height = 150;
const area = { left: 40, right: 8, top: 8, bottom: 24 };

export interface Shown {
  title: string;
  summary: string;
  predicted: Histogram | null;
  measured: Histogram | null;
  /** Whether the first bin holds values below 0 as well. */
  below_zero: boolean;
}

const total = (histogram: Histogram): number => histogram.counts.reduce((sum, count) => sum + count, 0);

/** Shares by bin. */
function shares(histogram: Histogram): number[] {
  const all = total(histogram);
  return histogram.counts.map((count) => (all > 0 ? count / all : 0));
}

export function histogramPanel(shown: Shown): HTMLElement {
  const edges = (shown.predicted ?? shown.measured)?.edges ?? [];
  const bins = edges.length - 1;
  const x = (edge: number): number => area.left + ((width - area.left - area.right) * edge) / bins;
  const highest = Math.max(0, ...[shown.predicted, shown.measured].flatMap((one) => (one ? shares(one) : [])));
  const top = Math.max(0.05, Math.ceil(highest * 20) / 20);
  const y = (share: number): number => height - area.bottom - (height - area.top - area.bottom) * (share / top);
  const drawn = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${shown.title}: ${shown.summary}` });
  for (const share of [0, top / 2, top]) {
    drawn.append(
      svg('line', { class: 'grid', x1: area.left, x2: width - area.right, y1: y(share), y2: y(share) }),
      svg('text', { x: area.left - 5, y: y(share) + 3.5, 'text-anchor': 'end' }, `${decimal(share * 100, top < 0.2 ? 1 : 0)} %`),
    );
  }
  labels(edges, shown.below_zero).forEach(({ edge, text }) => {
    drawn.append(
      svg('line', { class: 'axis', x1: x(edge), x2: x(edge), y1: y(0), y2: y(0) + 4 }),
      svg('text', { x: x(edge), y: height - 8, 'text-anchor': edge === 0 ? 'start' : edge === bins ? 'end' : 'middle' }, text),
    );
  });
  if (shown.predicted) {
    shares(shown.predicted).forEach((share, i) => {
      if (share > 0)
        drawn.append(
          svg('rect', { class: 'predicted', x: x(i), y: y(share), width: Math.max(0.5, x(i + 1) - x(i) - 0.5), height: y(0) - y(share) }),
        );
    });
  }
  if (shown.measured) {
    const outline = shares(shown.measured).map((share, i) => `V${y(share).toFixed(1)}H${x(i + 1).toFixed(1)}`);
    drawn.append(svg('path', { class: 'measured', d: `M${x(0)} ${y(0)}${outline.join('')}V${y(0)}` }));
  }
  drawn.append(svg('line', { class: 'axis', x1: area.left, x2: width - area.right, y1: y(0), y2: y(0) }));
  return element(
    'figure',
    { class: 'panel' },
    element('figcaption', {}, shown.title),
    drawn,
    element('p', { class: 'readout' }, shown.summary),
  );
}

/** At the powers of ten, and at 0; every other of them where there are many, and none so near to another that they touch. */
function labels(edges: readonly number[], below_zero: boolean): { edge: number; text: string }[] {
  const all = edges.flatMap((value, edge) => {
    const decade = value > 0 && Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
    return value === 0 || decade ? [{ edge, text: value === 0 && below_zero ? '≤ 0' : duration(value) }] : [];
  });
  const room = (edges.length - 1) / 7;
  const kept: typeof all = [];
  for (const label of all) {
    if (kept.length === 0 || label.edge - kept[kept.length - 1]!.edge >= room) kept.push(label);
  }
  return kept;
}

/** Powers of ten without decimals: "10 µs". */
function duration(ns: number): string {
  const units: [number, string][] = [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
  ];
  const [size, unit] = units.find(([size]) => ns >= size * 0.999) ?? [1, 'ns'];
  return `${decimal(ns / size, 0)} ${unit}`;
}
