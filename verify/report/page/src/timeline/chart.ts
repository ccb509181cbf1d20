// The timelines on two canvases, one over the other: the rows, drawn anew when the view changes, and the marks, drawn anew when those do.
import type { Context } from '../context';
import type { Design, Run } from '../decode';
import { element } from '../dom';
import { duration, exact } from '../format';
import { seriesCount } from '../theme';
import { type Mode, paled, stepColours, taskColours } from './colouring';
import { groupsOf } from './groups';
import { gutter, Layout, type Pane } from './layout';
import { drawOverlay, type Marks } from './overlay';
import type { Look } from './look';
import { Picture } from './picture';
import { spanAt } from './spans';
import { View } from './view';
import { finished } from './waits';

/** A task, or on a control core a step, at a place. */
export interface Found {
  pane: Pane;
  label: string;
  control: boolean;
  what: number;
  begin: number;
  end: number;
}

/** Pixels beside a span that still mean it. */
const slack = 3;

export class Chart {
  readonly view = new View();
  readonly layout = new Layout();
  readonly marks: Marks = { hovered: null, selected: null, hits: new Set(), ruler: null };
  readonly canvas = element('canvas', { class: 'rows', tabindex: 0, role: 'application', 'aria-roledescription': 'timelines' });
  readonly host = element('div', { class: 'chart' });
  /** What part of the time is seen, in words. */
  readonly seen = element('p', { class: 'seen quiet' });
  private readonly over = element('canvas', { class: 'marks', 'aria-hidden': 'true' });
  /** What is printed: browsers cut or drop parts of large canvases. */
  private readonly still = element('img', { class: 'still', alt: '' });
  private readonly picture = new Picture();
  private look: Look;
  private asked: { rows: boolean; frame: number } = { rows: false, frame: 0 };

  constructor(private readonly context: Context) {
    this.host.append(this.canvas, this.over, this.still);
    const { graph } = context.scenario;
    this.look = { theme: context.theme, colours: [], names: graph.names, hatched: () => false };
  }

  setRuns(runs: { design: Design; run: Run; measured: boolean }[], fold: boolean): void {
    this.layout.setRuns(runs, fold);
    this.view.setWhole(Math.max(0, ...runs.map((shown) => shown.run.makespan)));
  }

  /** `shows`: whether tasks of a group keep their colour; others are pale. */
  setMode(mode: Mode, shows: (group: number) => boolean): void {
    const { graph } = this.context.scenario;
    const { theme } = this.context;
    const { of } = groupsOf(graph);
    this.look.hatched = (task) => mode === 'kernel' && of[task]! >= seriesCount;
    this.look.colours = this.layout.panes.map((pane) => ({
      tasks: paled(taskColours(mode, graph, pane.design, pane.run, theme), of, shows, theme),
      steps: stepColours(pane.run, theme),
    }));
    this.redraw();
  }

  /** As wide as its place, and as high as its rows need, within `available` pixels. */
  resize(available: number): void {
    const ratio = devicePixelRatio || 1;
    this.layout.setSize(this.host.clientWidth, available);
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = Math.round(this.layout.width * ratio);
      canvas.height = Math.round(this.layout.height * ratio);
      canvas.style.height = `${this.layout.height}px`;
    }
    this.host.style.height = `${this.layout.height}px`;
    this.drawNow();
  }

  /** With the next frame. */
  redraw(rows = true): void {
    this.asked.rows ||= rows;
    this.asked.frame ||= requestAnimationFrame(() => {
      if (this.asked.rows) this.drawNow();
      else this.drawMarks();
    });
  }

  drawNow(): void {
    cancelAnimationFrame(this.asked.frame);
    const { begin, end, total } = this.view;
    this.seen.textContent = `Shown: ${exact(begin)} to ${exact(end)} of ${duration(total)}`;
    if (this.look.colours.length === this.layout.panes.length)
      this.picture.draw(this.canvas, this.layout, this.view, this.look, devicePixelRatio || 1);
    this.drawMarks();
  }

  /** Keeps what is seen as a picture, for printing. */
  keepStill(): void {
    this.drawNow();
    const copy = element('canvas', { width: this.canvas.width, height: this.canvas.height });
    const context = copy.getContext('2d');
    context?.drawImage(this.canvas, 0, 0);
    context?.drawImage(this.over, 0, 0);
    this.still.alt = this.canvas.getAttribute('aria-label') ?? '';
    this.still.src = copy.toDataURL();
  }

  private drawMarks(): void {
    this.asked = { rows: false, frame: 0 };
    drawOverlay(this.over, this.layout, this.view, this.context.scenario.graph, this.marks, this.context.theme, devicePixelRatio || 1);
  }

  timeAt(x: number): number {
    return this.view.begin + ((x - gutter) / this.layout.plotWidth) * this.view.length;
  }

  find(x: number, y: number): Found | null {
    const place = this.layout.rowAt(y);
    if (!place || x < gutter) return null;
    const { pane } = place;
    const row = pane.rows[place.row]!;
    const height = Math.max(1, this.layout.barHeight);
    const lane = row.lanes[Math.min(row.lanes.length - 1, Math.max(0, Math.floor(((y - place.top) / height) * row.lanes.length)))]!;
    const at = spanAt(lane, this.timeAt(x), (slack / this.layout.plotWidth) * this.view.length);
    if (at < 0) return null;
    return { pane, label: row.label, control: row.control, what: lane.what[at]!, begin: lane.begin[at]!, end: lane.end[at]! };
  }

  /** The task whose start is nearest to the middle of what is seen, in the first pane; −1 for none. */
  central(): number {
    const middle = (this.view.begin + this.view.end) / 2;
    const started = this.layout.panes[0]?.run.times.started ?? [];
    let best = -1;
    for (let task = 0; task < started.length; ++task) {
      if (Math.abs(started[task]! - middle) < (best < 0 ? Infinity : Math.abs(started[best]! - middle))) best = task;
    }
    return best;
  }

  /** Moves so that the task is seen in the first pane that has it. `closer`: so that it is also wide enough to be seen well. */
  reveal(task: number, closer: boolean): void {
    const pane = this.layout.panes.find((shown) => !Number.isNaN(shown.run.times.started[task]!));
    if (!pane) return;
    const begin = pane.run.times.started[task]!;
    const end = finished(pane.run, task);
    if (closer && (end - begin) / this.view.length < 12 / this.layout.plotWidth) {
      const length = Math.max(1, end - begin) * 40;
      this.view.show((begin + end - length) / 2, (begin + end + length) / 2);
    } else {
      this.view.reveal(begin, end);
    }
    this.layout.revealRow(pane, pane.place[pane.run.times.core[task]!] ?? 0);
    this.redraw();
  }
}
