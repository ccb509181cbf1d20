// What lies over the timelines: the task under the pointer, the selected task with its way to its start, and lines to the tasks before
// and after it.
import type { Graph } from '../decode';
import type { Theme } from '../theme';
import { duration } from '../format';
import { axisHeight, gutter, type Layout, type Pane, titleHeight, trackHeight } from './layout';
import { font } from './names';
import type { Range } from './ruler';
import type { View } from './view';
import { finished } from './waits';

/** More lines than these say nothing, and more hits cost too much. */
const mostLines = 200;
const mostHits = 5000;

/** Pixels: bars lower than this are filled, for want of room for an outline. */
const leastOutlined = 5;

export interface Marks {
  hovered: number | null;
  selected: number | null;
  hits: ReadonlySet<number>;
  ruler: Range | null;
}

export function drawOverlay(
  canvas: HTMLCanvasElement,
  layout: Layout,
  view: View,
  graph: Graph,
  marks: Marks,
  theme: Theme,
  ratio: number,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  for (const pane of layout.panes) {
    context.save();
    context.beginPath();
    context.rect(gutter, pane.rowsTop, layout.plotWidth, pane.rowsHeight);
    context.clip();
    new PaneMarks(context, layout, view, pane, theme).draw(graph, marks);
    context.restore();
  }
  if (marks.ruler) drawRuler(context, layout, view, marks.ruler, theme);
}

/** From its begin to its end over all panes, with the length above. */
function drawRuler(context: CanvasRenderingContext2D, layout: Layout, view: View, ruler: Range, theme: Theme): void {
  const x = (time: number): number => gutter + ((time - view.begin) / view.length) * layout.plotWidth;
  const [left, right] = [Math.max(gutter, x(ruler.begin)), Math.min(layout.width, x(ruler.end))];
  if (right < gutter || left > layout.width) return;
  const bottom = layout.height - trackHeight;
  context.fillStyle = theme.color('--accent');
  context.globalAlpha = 0.14;
  context.fillRect(left, 0, right - left, bottom);
  context.globalAlpha = 1;
  if (x(ruler.begin) >= gutter) context.fillRect(left - 0.5, 0, 1, bottom);
  if (x(ruler.end) <= layout.width) context.fillRect(right - 0.5, 0, 1, bottom);
  context.font = font(theme, 11, 600);
  context.textBaseline = 'bottom';
  const text = duration(ruler.end - ruler.begin);
  const width = context.measureText(text).width;
  context.fillText(text, Math.max(gutter, Math.min((left + right - width) / 2, layout.width - width)), axisHeight + titleHeight - 2);
}

class PaneMarks {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly layout: Layout,
    private readonly view: View,
    private readonly pane: Pane,
    private readonly theme: Theme,
  ) {}

  draw(graph: Graph, marks: Marks): void {
    const text = this.theme.color('--text');
    let drawn = 0;
    for (const hit of marks.hits) {
      if (this.outline(hit, text, 1) && ++drawn >= mostHits) break;
    }
    if (marks.selected !== null) {
      const mark = this.theme.color('--mark');
      const before = graph.predecessors.task.subarray(
        graph.predecessors.start[marks.selected],
        graph.predecessors.start[marks.selected + 1],
      );
      const after = graph.successors.task.subarray(graph.successors.start[marks.selected], graph.successors.start[marks.selected + 1]);
      before.slice(0, mostLines).forEach((task) => this.edge(task, marks.selected!, [5, 4]));
      after.slice(0, mostLines).forEach((task) => this.edge(marks.selected!, task, []));
      this.way(marks.selected, mark);
      this.outline(marks.selected, mark, 2);
    }
    if (marks.hovered !== null && marks.hovered !== marks.selected) this.outline(marks.hovered, text, 2);
  }

  private x(time: number): number {
    return gutter + ((time - this.view.begin) / this.view.length) * this.layout.plotWidth;
  }

  private top(task: number): number {
    return this.layout.rowTop(this.pane, this.pane.place[this.pane.run.times.core[task]!] ?? 0);
  }

  /** False where the task is out of sight. */
  private outline(task: number, colour: string, width: number): boolean {
    const { started } = this.pane.run.times;
    const end = finished(this.pane.run, task);
    if (Number.isNaN(started[task]!) || end < this.view.begin || started[task]! > this.view.end) return false;
    const left = this.x(started[task]!);
    const least = Math.max(3, this.x(end) - left);
    if (width === 1 && this.layout.barHeight < leastOutlined) {
      this.context.fillStyle = colour;
      this.context.fillRect(left, this.top(task), least, this.layout.barHeight);
      return true;
    }
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.strokeRect(left - width / 2, this.top(task) - width / 2, least + width, Math.max(3, this.layout.barHeight) + width);
    return true;
  }

  /** From ready to started, with a stroke at each phase seen. */
  private way(task: number, colour: string): void {
    const { ready, dispatched, received, started } = this.pane.run.times;
    const seen = [ready[task]!, dispatched[task]!, received[task]!].filter((time) => !Number.isNaN(time));
    if (seen.length === 0) return;
    const y = this.top(task) + this.layout.barHeight / 2;
    this.context.fillStyle = colour;
    this.context.fillRect(this.x(seen[0]!), y - 0.75, this.x(started[task]!) - this.x(seen[0]!), 1.5);
    const high = Math.max(6, this.layout.barHeight);
    for (const time of seen) this.context.fillRect(this.x(time) - 0.75, y - high / 2, 1.5, high);
  }

  /** Dashed to what came before, solid to what came after. */
  private edge(from: number, to: number, dashes: number[]): void {
    const begin = finished(this.pane.run, from);
    const end = this.pane.run.times.started[to]!;
    if (Number.isNaN(begin) || Number.isNaN(end)) return;
    const half = this.layout.barHeight / 2;
    const [x0, y0, x1, y1] = [this.x(begin), this.top(from) + half, this.x(end), this.top(to) + half];
    const bend = Math.max(8, Math.min(60, Math.abs(x1 - x0) / 2));
    const line = new Path2D();
    line.moveTo(x0, y0);
    line.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    this.context.strokeStyle = this.theme.color('--ground');
    this.context.lineWidth = 3.5;
    this.context.stroke(line);
    this.context.strokeStyle = this.theme.color('--text');
    this.context.lineWidth = 1.5;
    this.context.setLineDash(dashes);
    this.context.stroke(line);
    this.context.setLineDash([]);
    this.outline(from, this.theme.color('--text'), 1.5);
    this.outline(to, this.theme.color('--text'), 1.5);
  }
}
