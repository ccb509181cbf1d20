// The page of `tasktwin search --report`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ReportData, SearchData } from 'page/data';
import { fits, fixture, looks, shoot } from '../support/fixture';
import { writePage } from '../support/page';

const pages = fixture();
let number = 0;

/** Makespans rise with the point's number; each point has one value of each of three axes. */
function searchOf(count: number): SearchData {
  const all = Array.from({ length: count }, (_, i) => i);
  return {
    summary: `${count} of ${2 * count} points tried.`,
    verdict: ['1 more cannot be told from the best', 'no point of <b>none</b> ran'],
    designs: ['central <b>', 'stealing'],
    axes: [
      { path: 'designs.order', values: ['fifo', 'lifo', 'random'] },
      { path: 'machine.a.hop_ns', values: ['100', '200'] },
      { path: 'machine.b.hop_ns', values: ['1', '2', '3', '4'] },
    ],
    cost: 'control cores',
    stands: ['best', 'not told apart', 'worse', 'undecided'],
    points: {
      number: all,
      design: all.map((i) => i % 2),
      values: [all.map((i) => i % 3), all.map((i) => (i % 2 === 0 ? i % 2 : -1)), all.map((i) => i % 4)],
      makespan_ns: all.map((i) => 10_000 + i),
      runs: all.map(() => 1),
      slower: all.map((i) => i / 10_000),
      low: all.map((i) => i / 10_000),
      high: all.map((i) => i / 10_000),
      stands: all.map((i) => (i === 0 ? 0 : i === 1 ? 1 : 2)),
      cost: all.map((i) => 1 + (i % 5)),
      front: all.map((i) => (i === 0 ? 1 : 0)),
      base: all.map(() => 0),
    },
    importance: [{ path: 'designs.order', factor: 1.5, share: 0.8, best: 'fifo', factor_by_point: 1.2, best_by_point: 'lifo', of_design: null }],
    skipped: [{ reason: '<i>no</i>', points: 7 }],
  };
}

async function openSearch(count: number, options?: BrowserContextOptions) {
  const report: ReportData = {
    format: 1,
    title: 'Search: a & b',
    provenance: { version: '1', commit: 'c', command: 'tasktwin search a b' },
    scenarios: [],
    search: searchOf(count),
  };
  const file = join(pages.folder, `search-${++number}.html`);
  writePage(process.env.TASKTWIN_PAGE!, file, report);
  return pages.open(file, options);
}

const firstRow = async (page: Page): Promise<string[]> => page.locator('table.points tbody tr:not(.space)').first().locator('td').allInnerTexts();

/** How much of a canvas is painted, 0 to 1. */
const painted = (page: Page, at: number): Promise<number> =>
  page.locator('figure.wide canvas').nth(at).evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    let marked = 0;
    for (let i = 3; i < data.length; i += 4) marked += data[i]! > 0 ? 1 : 0;
    return marked / (data.length / 4);
  });

for (const [look, options] of looks) {
  test(`shows the points (${look})`, async () => {
    const { page, check } = await openSearch(300, options);
    assert.match(await page.locator('.headline').innerText(), /central <b> with 10\.00.µs at designs\.order fifo/);
    assert.match(await page.locator('main').innerText(), /1 more cannot be told from the best\.\s+No point of <b>none<\/b> ran\./);
    assert.equal(await page.locator('b, i').count(), 0, 'texts are texts');
    assert.ok((await painted(page, 0)) > 0.01 && (await painted(page, 1)) > 0.001);
    assert.ok(await fits(page));
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g)!.map(Number)[0]!);
    assert.equal(ground < 60, options.colorScheme === 'dark');
    await shoot(page, `search-${look.replace(', ', '-')}`, true);
    check();
  });

  test(`the table sorts and filters, and the download has what it shows (${look})`, async () => {
    const { page, check } = await openSearch(300, options);
    assert.equal((await firstRow(page))[0], 'central <b>');
    await page.locator('table.points th button', { hasText: 'makespan' }).click();
    await page.locator('table.points th button', { hasText: 'makespan' }).click();
    assert.equal((await firstRow(page))[4]!.replace('\u202f', ' '), '10.30 µs');
    assert.equal(await page.locator('table.points th[aria-sort="descending"]').innerText(), 'makespan');
    await page.locator('.filters select').nth(1).selectOption('lifo');
    assert.match(await page.locator('section#points p.quiet').innerText(), /100 of 300 points/);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.filters button').click()]);
    const lines = readFileSync((await download.path())!, 'utf8').trim().split('\n');
    assert.equal(lines.length, 101);
    assert.equal(lines[0], 'design,order,a.hop_ns,b.hop_ns,makespan,slower,runs,control cores,stands');
    assert.ok(lines.slice(1).every((line) => line.includes(',lifo,')));
    check();
  });

  test(`of ten thousand points those in sight are in the page (${look})`, async () => {
    const { page, check } = await openSearch(10_000, options);
    assert.ok((await page.locator('table.points tbody tr').count()) < 100, 'rows out of sight are not there');
    await page.evaluate(async () => {
      const scroll = document.querySelector('.scroll.points')!;
      for (let i = 0; i < 20; ++i) {
        scroll.scrollTop = i * 12_000;
        await new Promise((done) => requestAnimationFrame(done));
      }
      document.querySelectorAll<HTMLButtonElement>('table.points th button')[4]!.click();
    });
    assert.equal(await page.locator('table.points th[aria-sort="ascending"]').innerText(), 'makespan');
    await page.locator('.scroll.points').evaluate((scroll) => (scroll.scrollTop = scroll.scrollHeight));
    await page.waitForSelector('table.points tr[aria-rowindex="10001"]');
    check();
  });
}

test('the colours follow the reader', async () => {
  const { page, check } = await openSearch(50, { colorScheme: 'light' });
  await page.locator('button.theme').click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.ok((await painted(page, 0)) > 0.01);
  check();
});
