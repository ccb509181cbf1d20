// The page that `tasktwin run --metg` and --saturation record.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import type { CurvesData, ReportData } from 'page/data';
import { fixture, shoot } from '../support/fixture';
import { writePage } from '../support/page';

const pages = fixture();

const curves: CurvesData = {
  x_label: 'granularity, µs',
  y_label: 'efficiency in %',
  x_range: [0.1, 100],
  y_max: 100,
  guide: 50,
  panels: [
    {
      title: 'trivial',
      curves: [
        { name: '<hostile> one', style: 0, predicted: false, x: [0.2, 2, 20], y: [25, 60, 90] },
        { name: '<hostile> one, predicted', style: 0, predicted: true, x: [0.3, 2, 19], y: [30, 61, 92] },
      ],
    },
    { title: 'stencil', curves: [{ name: 'slow', style: 1, predicted: false, x: [20], y: [50] }] },
    { title: 'empty', curves: [] },
  ],
};

async function openCurves() {
  const report: ReportData = {
    format: 1,
    title: 'METG & more',
    provenance: { version: '1', commit: 'c', command: 'tasktwin run --metg' },
    scenarios: [],
    curves,
  };
  const file = join(pages.folder, 'metg.html');
  writePage(process.env.TASKTWIN_PAGE!, file, report);
  return pages.open(file);
}

test('a benchmark has a chart a panel and a colour a curve, and asks for nothing', async () => {
  const { page, check } = await openCurves();
  assert.equal(await page.title(), 'METG & more');
  assert.equal(await page.locator('figure.panel').count(), 3);
  assert.equal(await page.locator('figure.panel canvas').count(), 2, 'a panel without points says so');
  assert.match(await page.locator('figure.panel').nth(2).innerText(), /no point was measured/);
  assert.deepEqual(await page.locator('.fills li').allInnerTexts(), ['<hostile> one', 'slow']);
  assert.equal(await page.locator('hostile').count(), 0);
  assert.match(await page.locator('main').innerText(), /tasktwin run --metg/);
  await shoot(page, 'benchmark', true);
  check();
});

test('arrow keys read the points of a chart out', async () => {
  const { page, check } = await openCurves();
  const first = page.locator('figure.panel').first();
  assert.match(await first.locator('.readout').innerText(), /2 curves of efficiency/);
  await first.locator('.plot').focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await first.locator('.readout').innerText(), /granularity, µs: 0\.200; <hostile> one 25\.00$/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match(await first.locator('.readout').innerText(), /: 2\.000; <hostile> one 60\.00, <hostile> one, predicted 61\.00$/);
  check();
});

test('colours follow the theme', async () => {
  const { page, check } = await openCurves();
  const colour = () => page.locator('.fills .swatch').first().evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
  const before = await colour();
  await page.locator('button.theme').click();
  assert.notEqual(await colour(), before);
  check();
});
