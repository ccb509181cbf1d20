// The frame of the page: title, choice of scenario and theme, links to the sections, and the sections themselves.
import { clearHeadings } from './clear_headings';
import { Context, type Hub, type Selection } from './context';
import { favourite, runnerUp, type Report, type Scenario } from './decode';
import { append, element } from './dom';
import type { Section } from './section';
import { sections } from './sections';
import type { Theme } from './theme';

/** Lets the browser paint, and answer, between two sections. */
const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

export class Shell {
  private readonly selection: Selection;
  private readonly main = element('main', { id: 'main' });
  private readonly links = element('nav', { class: 'links', 'aria-label': 'Sections' });
  private readonly drawn: Context[] = [];
  private drawing = 0;

  constructor(
    private readonly report: Report,
    private readonly theme: Theme,
    private readonly hub: Hub,
  ) {
    const scenario = report.scenarios[0];
    if (!scenario?.designs[0]) throw new Error('This report holds no scenario.');
    this.selection = { scenario, design: favourite(scenario), other: runnerUp(scenario), task: null };
  }

  /** Done when all sections are there; data-state of the root element then is "ready". */
  async draw(): Promise<void> {
    document.title = this.report.title;
    document.body.replaceChildren(
      element('a', { class: 'skip', href: '#main' }, 'Skip to the report'),
      this.header(),
      this.links,
      this.main,
    );
    clearHeadings(this.links);
    await this.drawSections();
  }

  private header(): HTMLElement {
    const toggle = element('button', { type: 'button', class: 'theme', click: () => this.theme.toggle() });
    const label = (): void => {
      toggle.textContent = this.theme.name === 'dark' ? 'Light colours' : 'Dark colours';
    };
    label();
    this.hub.on('theme', label);
    const header = element('header', { class: 'page' }, element('h1', {}, this.report.title), toggle);
    if (this.report.scenarios.length > 1) append(header, this.scenarioChoice());
    return header;
  }

  private scenarioChoice(): HTMLElement {
    const choose = (event: Event): void => {
      const chosen = this.report.scenarios[Number((event.target as HTMLInputElement).value)];
      if (chosen) {
        this.selection.design = favourite(chosen);
        void this.choose(chosen);
      }
    };
    const group = element(
      'div',
      { class: 'choice scenarios', role: 'radiogroup', 'aria-label': 'Scenario', change: choose },
      element('span', { class: 'of' }, 'Scenario'),
    );
    this.report.scenarios.forEach((scenario, index) => {
      const input = element('input', { type: 'radio', name: 'scenario', value: index, checked: scenario === this.selection.scenario });
      append(group, element('label', {}, input, element('span', {}, scenario.data.name)));
    });
    return group;
  }

  private async choose(scenario: Scenario): Promise<void> {
    const other = this.selection.design === favourite(scenario) ? runnerUp(scenario) : null;
    Object.assign(this.selection, { scenario, other, task: null });
    const index = this.report.scenarios.indexOf(scenario);
    const input = document.querySelector<HTMLInputElement>(`.scenarios input[value="${index}"]`);
    if (input) input.checked = true;
    await this.drawSections();
  }

  /** One section a task of the browser's, so that the first can be read while the others are drawn. */
  private async drawSections(): Promise<void> {
    const turn = ++this.drawing;
    document.documentElement.dataset.state = 'drawing';
    for (const context of this.drawn.splice(0)) context.end();
    this.main.replaceChildren();
    this.links.replaceChildren();
    for (const section of sections) {
      this.drawSection(section);
      await pause();
      if (turn !== this.drawing) return;
    }
    document.documentElement.dataset.state = 'ready';
    performance.mark('tasktwin-ready');
  }

  private drawSection(section: Section): void {
    const context = new Context(this.report, this.theme, this.hub, this.selection, (scenario) => void this.choose(scenario));
    const host = element('div', { class: 'body' });
    const heading = element('h2', { id: `${section.id}-title` }, section.title);
    const whole = element('section', { id: section.id, 'aria-labelledby': `${section.id}-title` }, heading, host);
    this.main.append(whole);
    if (section.render(host, context) === false) {
      whole.remove();
      context.end();
      return;
    }
    this.drawn.push(context);
    this.links.append(element('a', { href: `#${section.id}` }, section.title));
  }
}
