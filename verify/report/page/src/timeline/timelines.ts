// The timelines and what is around them, held together: controls, chart, tooltip, legend, panel.
import type { Context } from '../context';
import { element } from '../dom';
import { count } from '../format';
import { Chart, type Found } from './chart';
import { legend, type Mode, stepLegend } from './colouring';
import { Controls } from './controls';
import { taskDetails } from './details';
import { listen, type Wishes } from './input';
import { Hits } from './hits';
import { keyHelp } from './key_help';
import { gutter } from './layout';
import { legendList } from './legend';
import { downloadCsv } from '../download';
import { shownRows } from './folded';
import { neighbour } from './rows';
import type { Range } from './ruler';
import { rulerPanel } from './ruler_panel';
import { tasksCsv } from './tasks_csv';
import { placeTip, stepTip, taskTip } from './tooltip';

export class Timelines {
  private readonly chart: Chart;
  private readonly controls: Controls;
  private readonly tip = element('div', { class: 'tip', role: 'tooltip', hidden: true });
  private readonly legend = element('div', { class: 'legend' });
  private readonly details = element('aside', { class: 'details', 'aria-live': 'polite', 'aria-label': 'Selected task' });
  private readonly measured = element('div', { class: 'ruler', 'aria-live': 'polite' });
  /** Groups that the legend was asked for; with none all are shown. */
  private readonly chosen = new Set<number>();
  private fold = true;
  private mode: Mode = 'kernel';
  private readonly hits = new Hits();
  private found: Found | null = null;
  /** Whether the selection is this section's own, so that nothing needs to jump. */
  private selecting = false;

  constructor(
    host: HTMLElement,
    private readonly context: Context,
  ) {
    this.chart = new Chart(context);
    this.controls = new Controls(context.scenario.designs, {
      designs: (first, second) => context.selectDesign(first, second),
      mode: (mode) => this.setMode(mode),
      search: (text) => this.search(text),
      hit: (step) => this.wishes.hit(step),
      leaveSearch: () => this.chart.canvas.focus(),
      zoom: (factor) => this.wishes.zoom(factor, null),
      reset: () => this.wishes.go('all'),
      rowHeight: (step) => this.wishes.rowHeight(step),
      fold: (on) => {
        this.fold = on;
        this.setDesigns();
      },
      download: () => downloadCsv(`${context.scenario.data.name}-tasks`, tasksCsv(context.scenario.graph, this.chart.layout.panes)),
    });
    this.chart.host.append(this.tip);
    host.append(
      this.controls.host,
      element(
        'div',
        { class: 'stage' },
        element('div', { class: 'plot' }, this.chart.host, this.chart.seen, this.legend, this.measured, keyHelp()),
        this.details,
      ),
    );
    listen(this.chart.canvas, this.wishes);
    context.on('design', () => this.setDesigns());
    context.on('theme', (theme) => {
      this.setMode(this.mode);
      if (theme.printing) this.chart.keepStill();
    });
    context.on('task', (task) => this.showTask(task));
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(this.chart.host);
    context.onEnd(() => observer.disconnect());
    this.setDesigns();
    this.showTask(context.task);
  }

  private setDesigns(): void {
    const { design, other } = this.context;
    const runs = [design, other].flatMap((shown) => {
      if (!shown) return [];
      const predicted = { design: shown, run: shown.predicted, measured: false };
      return shown.measured ? [predicted, { design: shown, run: shown.measured, measured: true }] : [predicted];
    });
    this.chart.setRuns(runs, this.fold);
    this.controls.showIdle(Math.max(0, ...runs.map(({ run }) => shownRows(run, true).folded)));
    this.controls.show(design, other);
    this.chart.canvas.setAttribute('aria-label', this.summary());
    this.setMode(this.mode);
    this.fit();
    this.setRuler(this.chart.marks.ruler);
    if (this.context.task !== null) this.showTask(this.context.task);
  }

  private readonly shows = (group: number): boolean => this.chosen.size === 0 || this.chosen.has(group);

  /** What the legend is asked for first is shown alone; others join it, or leave. */
  private choose(group: number): void {
    if (!this.chosen.delete(group)) this.chosen.add(group);
    this.setMode(this.mode);
    this.setRuler(this.chart.marks.ruler);
    this.legend.querySelectorAll<HTMLButtonElement>('button')[group]?.focus();
  }

  private setRuler(range: Range | null): void {
    this.chart.marks.ruler = range;
    const { graph } = this.context.scenario;
    const remove = (): void => {
      this.setRuler(null);
      this.chart.canvas.focus({ preventScroll: true });
    };
    this.measured.replaceChildren(...(range ? rulerPanel(graph, this.chart.layout.panes, range, this.shows, remove) : []));
    this.chart.redraw(false);
  }

  private setMode(mode: Mode): void {
    this.mode = mode;
    this.chart.setMode(mode, this.shows);
    const { graph } = this.context.scenario;
    const { design, theme } = this.context;
    const steps = stepLegend(
      this.chart.layout.panes.map((pane) => pane.run),
      theme,
    );
    this.legend.replaceChildren(
      legendList(
        `${design.predicted.data.core_word}s:`,
        legend(mode, graph, design, theme),
        mode === 'kernel' ? { chosen: this.chosen, choose: (group) => this.choose(group) } : null,
      ),
      ...(steps.length > 0 ? [legendList('control cores:', steps)] : []),
    );
    this.chart.drawNow();
  }

  private fit(): void {
    this.chart.resize(Math.max(360, Math.min(900, innerHeight * 0.72)));
  }

  private summary(): string {
    const panes = this.chart.layout.panes.map((pane) => `${pane.design.data.name} ${pane.measured ? 'measured' : 'predicted'}`);
    return `Timelines of ${count(this.context.scenario.graph.size)} tasks: ${panes.join(', ')}`;
  }

  private search(text: string): void {
    const started = this.context.design.predicted.times.started;
    this.hits.search(this.context.scenario.graph.names, text, (task) => started[task]!);
    this.chart.marks.hits = new Set(this.hits.all);
    this.controls.showHits(this.hits.summary);
    this.chart.redraw(false);
  }

  private select(task: number | null): void {
    this.selecting = true;
    this.context.selectTask(task);
    this.selecting = false;
  }

  private showTask(task: number | null): void {
    const { chart } = this;
    chart.marks.selected = task;
    if (task === null) {
      this.details.replaceChildren(
        element('p', { class: 'quiet screen' }, 'Select a task to follow what it waited for and what waited for it.'),
      );
    } else {
      const jump = (other: number | null): void => {
        this.select(other);
        if (other !== null) chart.reveal(other, true);
        chart.canvas.focus({ preventScroll: true });
      };
      this.details.replaceChildren(...taskDetails(this.context.scenario.graph, chart.layout.panes, task, jump));
      this.details.scrollTop = 0;
      if (!this.selecting) {
        chart.reveal(task, true);
        chart.host.scrollIntoView({ block: 'nearest' });
      }
    }
    chart.redraw(false);
  }

  private showTip(x: number, y: number): void {
    this.found = this.chart.find(x, y);
    const { found } = this;
    this.chart.marks.hovered = found && !found.control ? found.what : null;
    this.chart.redraw(false);
    this.tip.hidden = !found;
    if (!found) return;
    const { graph } = this.context.scenario;
    this.tip.replaceChildren(
      found.control ? stepTip(found.pane, found.label, found.what, found.begin, found.end) : taskTip(graph, found.pane, found.what),
    );
    placeTip(this.tip, this.chart.host, x, y);
  }

  private hideTip(): void {
    this.found = null;
    this.tip.hidden = true;
    this.chart.marks.hovered = null;
  }

  private readonly moved = (): void => {
    this.hideTip();
    this.chart.redraw();
  };

  private readonly wishes: Wishes = {
    zoom: (factor, x) => {
      this.chart.view.zoom(factor, x === null ? undefined : this.chart.timeAt(Math.max(gutter, x)));
      this.moved();
    },
    zoomTo: (from, to) => {
      this.chart.view.show(this.chart.timeAt(Math.min(from, to)), this.chart.timeAt(Math.max(from, to)));
      this.moved();
    },
    measure: (from, to) => {
      const { view } = this.chart;
      const within = (x: number): number => Math.round(Math.max(view.begin, Math.min(view.end, this.chart.timeAt(x))));
      this.setRuler({ begin: within(Math.min(from, to)), end: within(Math.max(from, to)) });
    },
    measureSeen: () => this.setRuler({ begin: Math.round(this.chart.view.begin), end: Math.round(this.chart.view.end) }),
    pan: (dx, dy) => {
      this.chart.view.pan((-dx / this.chart.layout.plotWidth) * this.chart.view.length);
      this.chart.layout.scrollRows(-dy);
      this.moved();
    },
    go: (where) => {
      const { view } = this.chart;
      if (where === 'begin') view.show(0, view.length);
      else if (where === 'end') view.show(view.total - view.length, view.total);
      else {
        view.reset();
        this.chart.layout.fitHeight();
        this.fit();
      }
      this.moved();
    },
    rowHeight: (step) => {
      this.chart.layout.stepHeight(step);
      this.fit();
    },
    hover: (x, y) => this.showTip(x, y),
    leave: () => {
      this.hideTip();
      this.chart.redraw(false);
    },
    click: (x, y) => {
      const found = this.chart.find(x, y);
      this.chart.canvas.focus({ preventScroll: true });
      if (!found || !found.control) this.select(found ? found.what : null);
    },
    hit: (step) => {
      const task = this.hits.step(step);
      if (task < 0) return;
      this.select(task);
      this.chart.reveal(task, true);
      this.controls.showHits(this.hits.summary);
    },
    neighbour: (step) => {
      const run = this.chart.layout.panes[0]?.run;
      if (this.context.task === null || !run) return;
      const next = neighbour(run, this.context.task, step);
      if (next < 0) return;
      this.select(next);
      this.chart.reveal(next, false);
    },
    choose: () => {
      const pointed = this.found && !this.found.control ? this.found.what : this.hits.current;
      const task = pointed < 0 ? this.chart.central() : pointed;
      if (task < 0) return;
      this.select(task);
      this.chart.reveal(task, true);
    },
    clear: () => {
      this.controls.search.value = '';
      this.search('');
      this.hideTip();
      this.setRuler(null);
      this.select(null);
    },
    search: () => this.controls.search.focus(),
  };
}
