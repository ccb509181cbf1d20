// The timelines themselves: rows as pixels, then labels, ticks and titles over them.
import { duration } from '../format';
import type { Theme } from '../theme';
import { ticks } from './axis';
import { pixel } from './colouring';
import { axisHeight, gutter, type Layout, type Pane, titleHeight } from './layout';
import type { Look, PaneColours } from './look';
import { drawNames, font, leastForNames } from './names';
import { paintLane } from './raster';
import type { View } from './view';

export class Picture {
  private image: ImageData | null = null;
  private line = new Uint32Array(0);

  /** `ratio` is device pixels by CSS pixel. */
  draw(canvas: HTMLCanvasElement, layout: Layout, view: View, look: Look, ratio: number): void {
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) return;
    const { theme } = look;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = theme.color('--ground');
    context.fillRect(0, 0, canvas.width, canvas.height);
    layout.panes.forEach((pane, index) => this.drawRows(context, layout, view, pane, look.colours[index]!, theme, ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawAxis(context, layout, view, theme);
    for (const pane of layout.panes) drawLabels(context, layout, pane, theme);
    if (layout.barHeight >= leastForNames)
      layout.panes.forEach((pane, index) => drawNames(context, layout, view, pane, look, look.colours[index]!));
    drawTrack(context, layout, view, theme);
  }

  private drawRows(
    context: CanvasRenderingContext2D,
    layout: Layout,
    view: View,
    pane: Pane,
    colours: PaneColours,
    theme: Theme,
    ratio: number,
  ): void {
    const width = Math.max(1, Math.round(layout.plotWidth * ratio));
    const height = Math.round(pane.rowsHeight * ratio);
    if (height < 1) return;
    if (this.image?.width !== width || this.image.height < height) this.image = new ImageData(width, height);
    if (this.line.length !== width) this.line = new Uint32Array(width);
    const pixels = new Uint32Array(this.image.data.buffer);
    const ground = pixel(theme.color('--ground'));
    const idle = pixel(theme.color('--idle'));
    pixels.fill(ground);
    const perPixel = view.length / width;
    const first = Math.floor(layout.scroll / layout.rowHeight);
    const last = Math.min(pane.rows.length, Math.ceil((layout.scroll + pane.rowsHeight) / layout.rowHeight));
    const runEnd = Math.max(0, Math.min(width, Math.ceil((pane.run.makespan - view.begin) / perPixel)));
    for (let index = first; index < last; ++index) {
      const row = pane.rows[index]!;
      const top = (index * layout.rowHeight - layout.scroll) * ratio;
      row.lanes.forEach((spans, lane) => {
        this.line.fill(idle, 0, runEnd);
        this.line.fill(ground, runEnd);
        paintLane(this.line, view.begin, perPixel, spans, row.control ? colours.steps : colours.tasks, idle);
        const from = Math.round(top + (layout.barHeight * ratio * lane) / row.lanes.length);
        const to = Math.max(from + 1, Math.round(top + (layout.barHeight * ratio * (lane + 1)) / row.lanes.length));
        for (let y = Math.max(0, from); y < Math.min(height, to); ++y) pixels.set(this.line, y * width);
      });
    }
    context.putImageData(this.image, Math.round(gutter * ratio), Math.round(pane.rowsTop * ratio), 0, 0, width, height);
  }
}

function drawAxis(context: CanvasRenderingContext2D, layout: Layout, view: View, theme: Theme): void {
  const marks = ticks(view.begin, view.end, layout.plotWidth / 110);
  context.font = font(theme, 11);
  context.textBaseline = 'middle';
  context.fillStyle = theme.color('--quiet');
  context.fillText(`time in ${marks.unit}`, 0, axisHeight / 2);
  marks.times.forEach((time, i) => {
    const x = gutter + ((time - view.begin) / view.length) * layout.plotWidth;
    context.fillStyle = theme.color('--line');
    context.fillRect(Math.round(x), axisHeight - 5, 1, 5);
    context.globalAlpha = 0.35;
    for (const pane of layout.panes) context.fillRect(Math.round(x), pane.rowsTop, 1, pane.rowsHeight);
    context.globalAlpha = 1;
    context.fillStyle = theme.color('--quiet');
    const width = context.measureText(marks.labels[i]!).width;
    context.fillText(marks.labels[i]!, Math.max(gutter, Math.min(x - width / 2, layout.width - width)), axisHeight / 2 - 2);
  });
}

function drawLabels(context: CanvasRenderingContext2D, layout: Layout, pane: Pane, theme: Theme): void {
  context.fillStyle = theme.color('--text');
  context.font = font(theme, 13, 600);
  context.textBaseline = 'middle';
  const middle = pane.top + titleHeight / 2 + 2;
  const title = `${pane.design.data.name}, ${pane.measured ? 'measured' : 'predicted'}`;
  context.fillText(title, 0, middle);
  const after = context.measureText(title).width + 12;
  context.font = font(theme, 12);
  context.fillStyle = theme.color('--quiet');
  context.fillText(duration(pane.run.makespan) + (pane.measured ? ', one run with phase stamps' : ''), after, middle);

  context.save();
  context.beginPath();
  context.rect(0, pane.rowsTop, gutter, pane.rowsHeight);
  context.clip();
  context.font = font(theme, 11);
  let free = -Infinity;
  pane.rows.forEach((row, index) => {
    const y = Math.max(pane.rowsTop + 6, layout.rowTop(pane, index) + layout.barHeight / 2 + 0.5);
    if (layout.rowTop(pane, index) + layout.rowHeight <= pane.rowsTop || y < free || y > pane.rowsTop + pane.rowsHeight) return;
    context.fillText(row.label, 0, y);
    free = y + 12;
  });
  context.restore();
}

/** Which part of the whole time is seen. */
function drawTrack(context: CanvasRenderingContext2D, layout: Layout, view: View, theme: Theme): void {
  const y = layout.height - 6;
  context.fillStyle = theme.color('--line');
  context.fillRect(gutter, y, layout.plotWidth, 3);
  context.fillStyle = theme.color('--quiet');
  const left = (view.begin / view.total) * layout.plotWidth;
  context.fillRect(gutter + left, y - 1, Math.max(4, (view.length / view.total) * layout.plotWidth), 5);
}
