// What the sections share: the decoded report, what is selected in it, and news of changes.
import { favourite, type Design, type Report, type Scenario } from './decode';
import type { Theme } from './theme';

/** Each kind of news and what comes with it. A change of scenario draws all sections anew and is no news. */
export interface News {
  /** A task was selected (null: none is). The timelines bring it into view. */
  task: number | null;
  /** The design whose timelines are shown, or the one it is held against, changed. */
  design: Design;
  /** Colours changed, also for printing: canvases draw themselves again. */
  theme: Theme;
}

export type Listener<Value> = (value: Value) => void;

/** Tells listeners about news, in the order in which they came. */
export class Hub {
  private readonly listeners: { [Name in keyof News]: Set<Listener<News[Name]>> } = {
    task: new Set(),
    design: new Set(),
    theme: new Set(),
  };

  /** Returns what ends it. */
  on<Name extends keyof News>(name: Name, listener: Listener<News[Name]>): () => void {
    this.listeners[name].add(listener);
    return () => this.listeners[name].delete(listener);
  }

  tell<Name extends keyof News>(name: Name, value: News[Name]): void {
    for (const listener of [...this.listeners[name]]) listener(value);
  }
}

/** What is selected; the shell owns it. */
export interface Selection {
  scenario: Scenario;
  design: Design;
  /** Shown below `design`; null for none. */
  other: Design | null;
  task: number | null;
}

/** What a section is given to draw itself; good until it is drawn anew. */
export class Context {
  private readonly ends: (() => void)[] = [];

  constructor(
    readonly report: Report,
    readonly theme: Theme,
    private readonly hub: Hub,
    private readonly selection: Selection,
    private readonly chooseScenario: (scenario: Scenario) => void,
  ) {}

  get scenario(): Scenario {
    return this.selection.scenario;
  }
  get design(): Design {
    return this.selection.design;
  }
  get other(): Design | null {
    return this.selection.other;
  }
  get task(): number | null {
    return this.selection.task;
  }

  /** Selects a task of the scenario; the timelines scroll to it. */
  selectTask(task: number | null): void {
    this.selection.task = task;
    this.hub.tell('task', task);
  }

  /** Shows a design's timelines, and below it another's. */
  selectDesign(design: Design, other: Design | null = null): void {
    this.selection.design = design;
    this.selection.other = other === design ? null : other;
    this.hub.tell('design', design);
  }

  /** Draws the page for another scenario, with `design` in the timelines. */
  selectScenario(scenario: Scenario, design: Design = favourite(scenario)): void {
    this.selection.design = design;
    this.chooseScenario(scenario);
  }

  /** Listens until this section is drawn anew. */
  on<Name extends keyof News>(name: Name, listener: Listener<News[Name]>): void {
    this.ends.push(this.hub.on(name, listener));
  }

  /** For anything else to be ended when the section is drawn anew. */
  onEnd(end: () => void): void {
    this.ends.push(end);
  }

  /** The shell's. */
  end(): void {
    for (const end of this.ends.splice(0)) end();
  }
}
