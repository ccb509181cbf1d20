// What stands above the timelines: which designs, which colours, search, zoom.
import type { Design } from '../decode';
import { append, element } from '../dom';
import type { Mode } from './colouring';

export interface ControlActions {
  designs(first: Design, second: Design | null): void;
  mode(mode: Mode): void;
  search(text: string): void;
  hit(step: 1 | -1): void;
  leaveSearch(): void;
  zoom(factor: number): void;
  reset(): void;
  rowHeight(step: 1 | -1): void;
  fold(on: boolean): void;
  download(): void;
}

const modes: [Mode, string][] = [
  ['kernel', 'kernel'],
  ['delay', 'delay difference'],
  ['body', 'body difference'],
  ['path', 'critical path'],
];

const meanings = { delay: 'from the last predecessor\'s completion to the start', body: 'from start to end' };

export class Controls {
  readonly host = element('div', { class: 'controls screen' });
  readonly search = element('input', {
    type: 'search',
    placeholder: 'task name',
    'aria-label': 'Search tasks by name',
    class: 'search',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  private readonly count = element('output', { class: 'hits quiet', 'aria-live': 'polite' });
  private readonly first: HTMLSelectElement;
  private readonly second: HTMLSelectElement;
  private readonly modeInputs = new Map<Mode, HTMLInputElement>();
  private readonly folding = element(
    'label',
    { class: 'fold', hidden: true },
    element('input', { type: 'checkbox', checked: true, change: (event: Event) => this.actions.fold((event.target as HTMLInputElement).checked) }),
    ' Fold idle cores',
  );

  constructor(
    designs: Design[],
    private readonly actions: ControlActions,
  ) {
    const choose = (): void => actions.designs(designs[Number(this.first.value)]!, designs[Number(this.second.value)] ?? null);
    this.first = element('select', { class: 'first-design', change: choose });
    this.second = element('select', { class: 'second-design', change: choose }, element('option', { value: -1 }, 'none'));
    for (const design of designs) {
      append(this.first, element('option', { value: design.index }, design.data.name));
      append(this.second, element('option', { value: design.index }, design.data.name));
    }
    append(this.host, element('label', {}, 'Design ', this.first));
    if (designs.length > 1) append(this.host, element('label', {}, 'Compare with ', this.second));
    append(this.host, this.modeChoice(), this.searchBox(), this.buttons(), this.folding);
    append(
      this.host,
      element('button', { type: 'button', title: 'The tasks of the runs shown, with their times', click: () => actions.download() }, 'Download as CSV'),
    );
  }

  show(first: Design, second: Design | null): void {
    this.first.value = String(first.index);
    this.second.value = String(second?.index ?? -1);
    for (const option of this.second.options) option.disabled = option.value === this.first.value;
    const measured = first.measured !== null || (second?.measured ?? null) !== null;
    for (const mode of ['delay', 'body'] as const) {
      const difference = this.modeInputs.get(mode)!;
      difference.disabled = !measured;
      difference.parentElement!.title = measured ? `${meanings[mode]}: predicted − measured` : 'Needs a measured run of the design.';
      if (!measured && difference.checked) this.modeInputs.get('kernel')!.click();
    }
  }

  /** How many cores are idle beside others; with none there is nothing to choose. */
  showIdle(cores: number): void {
    this.folding.hidden = cores === 0;
  }

  showHits(text: string): void {
    this.count.textContent = text;
  }

  private modeChoice(): HTMLElement {
    const group = element(
      'div',
      { class: 'choice', role: 'radiogroup', 'aria-label': 'Colour by' },
      element('span', { class: 'of' }, 'Colour by'),
    );
    for (const [mode, label] of modes) {
      const input = element('input', {
        type: 'radio',
        name: 'colour-mode',
        value: mode,
        checked: mode === 'kernel',
        change: () => this.actions.mode(mode),
      });
      this.modeInputs.set(mode, input);
      append(group, element('label', {}, input, element('span', {}, label)));
    }
    return group;
  }

  private searchBox(): HTMLElement {
    this.search.addEventListener('input', () => this.actions.search(this.search.value));
    this.search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.actions.hit(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') this.actions.leaveSearch();
      else return;
      event.preventDefault();
    });
    const step = (direction: 1 | -1, sign: string, label: string): HTMLElement =>
      element('button', { type: 'button', 'aria-label': label, title: label, click: () => this.actions.hit(direction) }, sign);
    return element(
      'div',
      { class: 'group', role: 'search' },
      this.search,
      step(-1, '‹', 'Previous hit'),
      step(1, '›', 'Next hit'),
      this.count,
    );
  }

  private buttons(): HTMLElement {
    const button = (sign: string, label: string, action: () => void): HTMLElement =>
      element('button', { type: 'button', 'aria-label': label, title: label, click: action }, sign);
    return element(
      'div',
      { class: 'group' },
      element('span', { class: 'quiet' }, 'Time'),
      button('−', 'Zoom out', () => this.actions.zoom(2)),
      button('+', 'Zoom in', () => this.actions.zoom(0.5)),
      button('All', 'Show the whole run', () => this.actions.reset()),
      element('span', { class: 'quiet next' }, 'Rows'),
      button('−', 'Lower rows', () => this.actions.rowHeight(-1)),
      button('+', 'Higher rows', () => this.actions.rowHeight(1)),
    );
  }
}
