// A browser for the tests of a file, and pages with made-up data.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { decodeReport, type Report } from 'page/decode';
import { launch, open } from './browser';
import { readPage, writePage } from './page';
import { syntheticReport, type Wish } from './synthetic';

const { TASKTWIN_PAGE: template, TASKTWIN_SHOTS: shots } = process.env;

export interface Fixture {
  /** Opens a page; the faults that it then has fail the test that calls `check`. */
  open(file: string, options?: BrowserContextOptions): Promise<{ page: Page; report: Report; check: () => void }>;
  /** Opens a page with made-up data. */
  synthetic(wishes: Wish[], options?: BrowserContextOptions): Promise<{ page: Page; report: Report; check: () => void }>;
  /** Opens a page whose data is missing. */
  empty(): Promise<Page>;
  folder: string;
}

export function fixture(): Fixture {
  let browser: Browser | null = null;
  let number = 0;
  before(async () => {
    browser = await launch();
  });
  const folder = mkdtempSync(join(tmpdir(), 'tasktwin-report-'));
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });
  const self: Fixture = {
    folder,
    async open(file, options) {
      const { page, faults } = await open(browser!, file, options);
      return { page, report: decodeReport(readPage(file)), check: () => assert.deepEqual(faults, []) };
    },
    synthetic(wishes, options) {
      if (!template) throw new Error('TASKTWIN_PAGE names no page');
      const file = join(folder, `${++number}.html`);
      writePage(template, file, syntheticReport(...wishes));
      return self.open(file, options);
    },
    async empty() {
      const file = join(folder, 'empty.html');
      writeFileSync(file, readFileSync(template!, 'utf8').replace('@TASKTWIN_REPORT_DATA@', ''));
      return (await open(browser!, file)).page;
    },
  };
  return self;
}

/** In which every part of the page is seen: both colour schemes, on a wide screen and in a narrow window. */
export const looks: [string, BrowserContextOptions][] = (['light', 'dark'] as const).flatMap((colorScheme): [string, BrowserContextOptions][] => [
  [`${colorScheme}, wide`, { colorScheme }],
  [`${colorScheme}, 900 pixels`, { colorScheme, viewport: { width: 900, height: 800 } }],
]);

/** The page is no wider than its window. */
export const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Keeps a picture for people to look at. */
export async function shoot(page: Page, name: string, fullPage = false): Promise<void> {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage });
}
