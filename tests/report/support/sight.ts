// Where things lie on the page's canvas, worked out from the data by the page's own layout.
import type { Page } from 'playwright-core';
import type { Design, Run, Scenario } from 'page/decode';
import { gutter, Layout, type Pane } from 'page/timeline/layout';

/** A part of the time, in ns. */
export interface Span {
  begin: number;
  end: number;
}

export interface Sight {
  layout: Layout;
  panes: Pane[];
  /**
   * The middle of what is seen of a task's body in a pane, in the window's coordinates, while `shown` is in sight: the whole run unless it
   * says otherwise.
   */
  place(pane: Pane, task: number, shown?: Span): { x: number; y: number };
}

const shownRuns = (design: Design): { design: Design; run: Run; measured: boolean }[] => [
  { design, run: design.predicted, measured: false },
  ...(design.measured ? [{ design, run: design.measured, measured: true }] : []),
];

/** Scrolls the timelines into the window. */
export async function sightOf(page: Page, scenario: Scenario, design = scenario.designs[0]!): Promise<Sight> {
  await page.locator('.chart').scrollIntoViewIfNeeded();
  await page.evaluate(() => document.querySelector('.chart')!.scrollIntoView({ block: 'center' }));
  const box = (await page.locator('canvas.rows').boundingBox())!;
  const window = page.viewportSize()!;
  const layout = new Layout();
  const runs = shownRuns(design);
  layout.setRuns(runs);
  layout.setSize(box.width, Math.max(360, Math.min(900, window.height * 0.72)));
  const total = Math.max(...runs.map(({ run }) => run.makespan));
  return {
    layout,
    panes: layout.panes,
    place(pane, task, shown = { begin: 0, end: total }) {
      const { times } = pane.run;
      const time = (Math.max(times.started[task]!, shown.begin) + Math.min(times.ended[task]!, shown.end)) / 2;
      const row = pane.place[times.core[task]!]!;
      const share = (time - shown.begin) / (shown.end - shown.begin);
      return { x: box.x + gutter + share * layout.plotWidth, y: box.y + layout.rowTop(pane, row) + layout.barHeight / 2 };
    },
  };
}

/** The part of the time that the page says it shows. */
export async function shownTime(page: Page): Promise<Span> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const text = ((await page.locator('.seen').textContent()) ?? '').replace(/\u202f/g, '');
  const found = /Shown: ([\d.]+)(ns|µs) to ([\d.]+)(ns|µs)/.exec(text);
  if (!found) throw new Error(`no times in: ${text}`);
  const ns = (number: string, unit: string): number => Math.round(Number(number) * (unit === 'µs' ? 1000 : 1));
  return { begin: ns(found[1]!, found[2]!), end: ns(found[3]!, found[4]!) };
}
