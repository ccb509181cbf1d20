// Light or dark: as the system says until the reader chooses; light while printing.

export type ThemeName = 'light' | 'dark';

/** How many of page.css's --series-… there are. */
export const seriesCount = 12;

export class Theme {
  private chosen: ThemeName | null = null;
  private onPaper = false;
  private readonly system = matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly changed: () => void) {
    this.system.addEventListener('change', () => this.apply());
    addEventListener('beforeprint', () => this.print(true));
    addEventListener('afterprint', () => this.print(false));
    matchMedia('print').addEventListener('change', (event) => this.print(event.matches));
    document.documentElement.dataset.theme = this.name;
  }

  get name(): ThemeName {
    if (this.onPaper) return 'light';
    return this.chosen ?? (this.system.matches ? 'dark' : 'light');
  }

  /** Whether the page is being printed. */
  get printing(): boolean {
    return this.onPaper;
  }

  toggle(): void {
    this.chosen = this.name === 'dark' ? 'light' : 'dark';
    this.apply();
  }

  /** A custom property of page.css, "--text" for one. */
  color(property: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
  }

  /** The colour of the index-th of things that are told apart; they repeat after seriesCount, so label them as well. */
  series(index: number): string {
    return this.color(`--series-${(index % seriesCount) + 1}`);
  }

  private print(printing: boolean): void {
    if (printing === this.onPaper) return;
    this.onPaper = printing;
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.name;
    this.changed();
  }
}
