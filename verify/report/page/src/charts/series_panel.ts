// A small chart of one quantity over the time of a run: predicted solid, measured dashed.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { element } from '../dom';
import { decimal } from '../format';
import type { Theme } from '../theme';
import './charts.css';

export interface Line {
  name: string;
  values: Float64Array;
  /** A custom property of page.css. */
  color: string;
  dash: number[];
  /** One that goes with the line before it, of the same run. */
  second: boolean;
}

export interface Panel {
  title: string;
  /** Of the values: "tasks"; with `scale` they are divided by it to be in this unit. */
  unit: string;
  scale: number;
  /** Middles of the bins, ns, and where the axis ends. */
  time: Float64Array;
  horizon: number;
  /** Of the axis of values, before it is divided by `scale`. */
  top: number;
  /** Decimals of values that are read out. */
  digits: number;
  lines: Line[];
  /** For who does not see it. */
  summary: string;
}

const width = 432;
const height = 150;

export interface Drawn {
  figure: HTMLElement;
  /** Contract: redraw when colours change; end before it is thrown away. */
  redraw(): void;
  end(): void;
}

/** Charts of one group follow each other's cursor: `sync` names it. Arrow keys move it in a chart that has the focus. */
export function seriesPanel(theme: Theme, panel: Panel, sync: string): Drawn {
  const plot_place = element('div', { role: 'img', tabindex: 0, 'aria-label': `${panel.title}: ${panel.summary}`, class: 'plot' });
  const readout = element('p', { class: 'readout', 'aria-live': 'polite' }, panel.summary);
  const figure = element('figure', { class: 'panel' }, element('figcaption', {}, panel.title), plot_place, readout);
  const say = (at: number | null | undefined): void => {
    readout.textContent =
      at == null
        ? panel.summary
        : `at ${decimal(panel.time[at]! / 1e3, 1)} µs: ` +
          panel.lines.map((line) => `${line.name} ${decimal(line.values[at]! / panel.scale, panel.digits)}`).join(', ') +
          ` ${panel.unit}`;
  };
  const plot = new uPlot(options(theme, panel, sync, say), columns(panel), plot_place);
  plot_place.addEventListener('keydown', (event) => step(plot, sync, event));
  return { figure, redraw: () => plot.redraw(false), end: () => plot.destroy() };
}

function columns(panel: Panel): uPlot.AlignedData {
  return [panel.time.map((ns) => ns / 1e3), ...panel.lines.map((line) => line.values.map((value) => value / panel.scale))];
}

function step(plot: uPlot, sync: string, event: KeyboardEvent): void {
  const way = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (way === 0) return;
  event.preventDefault();
  const times = plot.data[0];
  const next = Math.min(times.length - 1, Math.max(0, (plot.cursor.idx ?? (way > 0 ? -1 : times.length)) + way));
  const left = plot.valToPos(times[next]!, 'x');
  for (const other of uPlot.sync(sync).plots) other.setCursor({ left, top: 1 });
}

function options(theme: Theme, panel: Panel, sync: string, say: (at: number | null | undefined) => void): uPlot.Options {
  const top = panel.top / panel.scale;
  const axis = {
    stroke: () => theme.color('--quiet'),
    grid: { stroke: () => theme.color('--line'), width: 1 },
    ticks: { stroke: () => theme.color('--line'), width: 1, size: 4 },
    font: '11px system-ui, sans-serif',
    gap: 3,
  };
  return {
    width,
    height,
    legend: { show: false },
    padding: [6, 22, 0, 0],
    scales: { x: { time: false, range: [0, panel.horizon / 1e3] }, y: { range: [0, top > 0 ? top * 1.05 : 1] } },
    axes: [
      {
        ...axis,
        size: 22,
        space: 55,
        label: 'µs',
        labelSize: 13,
        labelGap: 0,
        labelFont: axis.font,
        values: (_, splits) => splits.map((value) => decimals(value, splits)),
      },
      { ...axis, size: 46, space: 26, values: (_, splits) => splits.map((value) => decimals(value, splits)) },
    ],
    series: [
      {},
      ...panel.lines.map((line) => ({
        label: line.name,
        stroke: () => theme.color(line.color),
        width: 1.5,
        dash: line.dash,
        points: { show: false },
      })),
    ],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 }, sync: { key: sync, scales: [null, null] } },
    hooks: { setCursor: [(plot) => say((plot.cursor.left ?? -1) < 0 ? null : plot.cursor.idx)] },
  };
}

/** As many decimals as the axis' steps need. */
function decimals(value: number, splits: number[]): string {
  const step = splits.length > 1 ? Math.abs(splits[1]! - splits[0]!) : 1;
  return decimal(value, step > 0 ? Math.max(0, Math.min(3, -Math.floor(Math.log10(step) + 1e-9))) : 0);
}
