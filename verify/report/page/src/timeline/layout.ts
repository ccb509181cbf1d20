// Where panes and rows lie on the canvas, in CSS pixels. Every pane shows one run; all have rows of one height and scroll together.
import type { Design, Run } from '../decode';
import { shownRows } from './folded';
import type { Row } from './rows';

export const gutter = 104;
export const axisHeight = 24;
export const titleHeight = 24;
export const trackHeight = 14;
/** Row heights that can be chosen. */
const heights = [2, 3, 4, 6, 8, 10, 12, 14, 18, 24];

export interface Pane {
  design: Design;
  run: Run;
  measured: boolean;
  rows: Row[];
  /** By core: the place of its row. */
  place: Int32Array;
  /** Cores that share a row with others. */
  folded: number;
  /** Of the title; rows are seen in [rowsTop, rowsTop + rowsHeight). */
  top: number;
  rowsTop: number;
  rowsHeight: number;
}

export interface RowPlace {
  pane: Pane;
  row: number;
  top: number;
}

export class Layout {
  panes: Pane[] = [];
  width = 0;
  height = 0;
  /** Of one row with its gap. */
  rowHeight = 8;
  /** How far the rows are scrolled up. */
  scroll = 0;
  private chosen: number | null = null;
  private available = 0;

  /** `fold`: neighbouring cores without tasks share a row. */
  setRuns(runs: { design: Design; run: Run; measured: boolean }[], fold = true): void {
    this.panes = runs.map((shown) => ({ ...shown, ...shownRows(shown.run, fold), top: 0, rowsTop: 0, rowsHeight: 0 }));
    this.arrange();
  }

  /** `available` is the height that the canvas may take. */
  setSize(width: number, available: number): void {
    this.width = width;
    this.available = available;
    this.arrange();
  }

  /** Rows one step higher (+1) or lower (−1). */
  stepHeight(direction: 1 | -1): void {
    const at = heights.findIndex((height) => height >= this.rowHeight);
    this.chosen = heights[Math.max(0, Math.min(heights.length - 1, (at < 0 ? heights.length - 1 : at) + direction))]!;
    this.arrange();
  }

  fitHeight(): void {
    this.chosen = null;
    this.scroll = 0;
    this.arrange();
  }

  get plotWidth(): number {
    return Math.max(1, this.width - gutter);
  }

  scrollRows(pixels: number): void {
    const most = Math.max(0, ...this.panes.map((pane) => pane.rows.length * this.rowHeight - pane.rowsHeight));
    this.scroll = Math.round(Math.max(0, Math.min(most, this.scroll + pixels)));
  }

  /** Scrolls so that the row is seen. */
  revealRow(pane: Pane, row: number): void {
    const top = row * this.rowHeight;
    if (top < this.scroll || top + this.rowHeight > this.scroll + pane.rowsHeight) this.scrollRows(top - pane.rowsHeight / 2 - this.scroll);
  }

  rowTop(pane: Pane, row: number): number {
    return pane.rowsTop + row * this.rowHeight - this.scroll;
  }

  /** The part of a row's height that spans fill. */
  get barHeight(): number {
    return this.rowHeight >= 6 ? this.rowHeight - 2 : this.rowHeight >= 4 ? this.rowHeight - 1 : this.rowHeight;
  }

  rowAt(y: number): RowPlace | null {
    for (const pane of this.panes) {
      if (y < pane.rowsTop || y >= pane.rowsTop + pane.rowsHeight) continue;
      const row = Math.floor((y - pane.rowsTop + this.scroll) / this.rowHeight);
      return row < pane.rows.length ? { pane, row, top: this.rowTop(pane, row) } : null;
    }
    return null;
  }

  /** Each pane gets the same height, or less where it has fewer rows. */
  private arrange(): void {
    const count = Math.max(1, this.panes.length);
    const share = Math.max(60, (this.available - axisHeight - trackHeight) / count - titleHeight);
    const most = Math.max(1, ...this.panes.map((pane) => pane.rows.length));
    this.rowHeight = this.chosen ?? heights.filter((height) => height <= 18 && height * most <= share).at(-1) ?? heights[0]!;
    let top = axisHeight;
    for (const pane of this.panes) {
      pane.top = top;
      pane.rowsTop = top + titleHeight;
      pane.rowsHeight = Math.min(pane.rows.length * this.rowHeight, Math.floor(share));
      top = pane.rowsTop + pane.rowsHeight;
    }
    this.height = top + trackHeight;
    this.scrollRows(0);
  }
}
