// A chart of measured curves over one logarithmic axis: measured solid with marks, predicted dashed.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { CurvePanelData, CurvesData } from '../data';
import { element } from '../dom';
import { aligned, type Aligned } from '../figures/curves';
import { decimal } from '../format';
import type { Theme } from '../theme';
import './charts.css';
import type { Drawn } from './series_panel';

const width = 432;
const height = 260;

/** The values of all curves at the x of index `at`. */
function readout(curves: CurvesData, panel: CurvePanelData, data: Aligned, at: number | null | undefined): string {
  if (at == null) return `${panel.curves.length} curve${panel.curves.length === 1 ? '' : 's'} of ${curves.y_label}`;
  const values = panel.curves.flatMap((curve, i) => {
    const value = data[i + 1]![at];
    return value == null ? [] : [`${curve.name} ${decimal(value, 2)}`];
  });
  return `${curves.x_label}: ${decimal(data[0][at]!, 3)}; ${values.join(', ')}`;
}

export function curvePanel(theme: Theme, curves: CurvesData, panel: CurvePanelData): Drawn {
  const data = aligned(panel.curves);
  const place = element('div', { role: 'img', tabindex: 0, class: 'plot', 'aria-label': `${panel.title}: ${readout(curves, panel, data, null)}` });
  const said = element('p', { class: 'readout', 'aria-live': 'polite' }, readout(curves, panel, data, null));
  const figure = element('figure', { class: 'panel' }, element('figcaption', {}, panel.title), place, said);
  if (data[0].length === 0) {
    place.append('no point was measured');
    return { figure, redraw: () => undefined, end: () => undefined };
  }
  const plot = new uPlot(
    options(theme, curves, panel, (at) => (said.textContent = readout(curves, panel, data, at))),
    data,
    place,
  );
  place.addEventListener('keydown', (event) => {
    const way = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (way === 0) return;
    event.preventDefault();
    const next = Math.min(data[0].length - 1, Math.max(0, (plot.cursor.idx ?? (way > 0 ? -1 : data[0].length)) + way));
    plot.setCursor({ left: plot.valToPos(data[0][next]!, 'x'), top: 1 });
  });
  return { figure, redraw: () => plot.redraw(false), end: () => plot.destroy() };
}

function options(theme: Theme, curves: CurvesData, panel: CurvePanelData, say: (at: number | null | undefined) => void): uPlot.Options {
  const axis = {
    stroke: () => theme.color('--quiet'),
    grid: { stroke: () => theme.color('--line'), width: 1 },
    ticks: { stroke: () => theme.color('--line'), width: 1, size: 4 },
    font: '11px system-ui, sans-serif',
    labelFont: '11px system-ui, sans-serif',
    labelSize: 15,
    gap: 3,
  };
  const guide = (plot: uPlot): void => {
    if (curves.guide === null) return;
    const y = plot.valToPos(curves.guide, 'y', true);
    plot.ctx.save();
    plot.ctx.strokeStyle = theme.color('--quiet');
    plot.ctx.setLineDash([6, 4]);
    plot.ctx.beginPath();
    plot.ctx.moveTo(plot.bbox.left, y);
    plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
    plot.ctx.stroke();
    plot.ctx.restore();
  };
  return {
    width,
    height,
    legend: { show: false },
    padding: [6, 22, 0, 0],
    scales: { x: { time: false, distr: 3, range: [...curves.x_range] }, y: { range: [0, curves.y_max] } },
    axes: [
      { ...axis, size: 24, label: curves.x_label },
      { ...axis, size: 46, space: 26, label: curves.y_label },
    ],
    series: [
      {},
      ...panel.curves.map((curve) => ({
        label: curve.name,
        stroke: () => theme.series(curve.style),
        width: curve.predicted ? 1.2 : 2,
        dash: curve.predicted ? [3, 3] : [],
        spanGaps: true,
        points: { show: !curve.predicted, size: 5 },
      })),
    ],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: {
      drawAxes: [guide],
      setCursor: [(plot) => say((plot.cursor.left ?? -1) < 0 ? null : plot.cursor.idx)],
    },
  };
}
