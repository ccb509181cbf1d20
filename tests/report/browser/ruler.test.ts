// The ruler, the legend's filter, folded cores and downloads, in both colour schemes and on a narrow window.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { duration } from 'page/format';
import { gutter } from 'page/timeline/layout';
import { sumsBetween } from 'page/timeline/ruler';
import { fits, fixture, looks, shoot } from '../support/fixture';
import { writePage } from '../support/page';
import { shownTime, sightOf } from '../support/sight';
import { syntheticReport } from '../support/synthetic';

const pages = fixture();
const frame = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** How many pixels of a canvas are nearly of a colour that page.css calls `name`. */
function pixelsOf(page: Page, canvas: string, name: string): Promise<number> {
  return page.evaluate(
    ([where, what]) => {
      const drawn = document.querySelector<HTMLCanvasElement>(where!)!;
      const wanted = getComputedStyle(document.documentElement).getPropertyValue(what!).trim();
      const part = (shift: number): number => (Number.parseInt(wanted.slice(1), 16) >> shift) & 255;
      const copy = Object.assign(document.createElement('canvas'), { width: drawn.width, height: drawn.height });
      const context = copy.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(drawn, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        const off = Math.abs(data[i]! - part(16)) + Math.abs(data[i + 1]! - part(8)) + Math.abs(data[i + 2]! - part(0));
        if (data[i + 3]! > 0 && off < 12) ++count;
      }
      return count;
    },
    [canvas, name],
  );
}

for (const [look, options] of looks) {
  test(`a drag along the axis lays a ruler, whose sums stand below (${look})`, async () => {
    const { page, report, check } = await pages.synthetic([{ tasks: 400, cores: 8 }], options);
    const scenario = report.scenarios[0]!;
    const sight = await sightOf(page, scenario);
    const box = (await page.locator('canvas.rows').boundingBox())!;
    const at = (share: number): number => box.x + gutter + share * sight.layout.plotWidth;
    assert.equal(await pixelsOf(page, 'canvas.marks', '--accent'), 0);
    await page.mouse.move(at(0.25), box.y + 8);
    await page.mouse.down();
    await page.mouse.move(at(0.4), box.y + 8, { steps: 4 });
    await page.mouse.move(at(0.5), box.y + 8, { steps: 4 });
    await page.mouse.up();
    await frame(page);
    assert.ok((await pixelsOf(page, 'canvas.marks', '--accent')) > 200, 'its ends are drawn');
    assert.ok((await shownTime(page)).begin === 0, 'nothing has moved');
    const total = Math.max(...sight.panes.map(({ run }) => run.makespan));
    const said = (await page.locator('.ruler caption').innerText()).replaceAll('\u202f', ' ');
    const length = /: ([\d.]+) µs\. Time/.exec(said.replace(/(\d) (?=\d)/g, '$1'));
    assert.ok(length && Math.abs(Number(length[1]) * 1000 - total / 4) < 0.01 * total, said);
    const heads = await page.locator('.ruler thead th').allInnerTexts();
    assert.deepEqual(
      heads.slice(1).map((head) => head.split('\n').at(-1)),
      ['predicted', 'measured'],
    );
    const kernels = await page.locator('.ruler tbody th').allInnerTexts();
    assert.ok(['gemm', 'attention', 'norm', 'reduce'].some((name) => kernels.includes(name)), kernels.join());
    assert.ok(await fits(page));
    await shoot(page, `ruler-${look.replace(/\W+/g, '-')}`);
    await page.locator('.ruler button', { hasText: 'Remove' }).click();
    await frame(page);
    assert.equal(await page.locator('.ruler table').count(), 0);
    assert.equal(await pixelsOf(page, 'canvas.marks', '--accent'), 0);
    check();
  });

  test(`the legend shows the groups that are asked for (${look})`, async () => {
    const { page, report, check } = await pages.synthetic([{ tasks: 300, cores: 6 }], options);
    const { graph, designs } = report.scenarios[0]!;
    await sightOf(page, report.scenarios[0]!);
    const before = [await pixelsOf(page, 'canvas.rows', '--series-1'), await pixelsOf(page, 'canvas.rows', '--series-3')];
    assert.ok(before.every((count) => count > 500), before.join());
    await page.locator('.legend button', { hasText: 'norm' }).click();
    await frame(page);
    assert.equal(await page.locator('.legend button[aria-pressed="true"]').innerText(), 'norm');
    assert.ok((await pixelsOf(page, 'canvas.rows', '--series-1')) < before[0]! / 10, 'the others are pale');
    assert.ok((await pixelsOf(page, 'canvas.rows', '--series-3')) > before[1]! / 2, 'it keeps its colour');
    await page.locator('canvas.rows').focus();
    await page.keyboard.press('m');
    const whole = { begin: 0, end: Math.max(designs[0]!.predicted.makespan, designs[0]!.measured!.makespan) };
    const [norm] = sumsBetween(graph, designs[0]!.predicted, whole, (group) => group === 2).groups;
    const cells = await page.locator('.ruler tbody tr', { hasText: 'norm' }).locator('td').allInnerTexts();
    assert.ok(cells[0]!.startsWith(duration(norm!.time)), `${cells[0]} for ${duration(norm!.time)}`);
    assert.equal(await page.locator('.ruler tbody tr', { hasText: 'gemm' }).count(), 0);
    assert.ok(await fits(page));
    await shoot(page, `legend-${look.replace(/\W+/g, '-')}`);
    await page.locator('.legend button', { hasText: 'norm' }).click();
    await frame(page);
    assert.equal(await pixelsOf(page, 'canvas.rows', '--series-1'), before[0]);
    await page.locator('canvas.rows').focus();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.ruler table').count(), 0);
    check();
  });

  test(`cores without tasks are folded, and unfolded where the reader wants it (${look})`, async () => {
    const data = syntheticReport({ tasks: 60, cores: 4 });
    for (const design of data.scenarios[0]!.designs) {
      for (const run of [design.predicted, design.measured!.run]) run.cores.push(...Array.from({ length: 60 }, () => run.cores[0]!));
    }
    const file = join(pages.folder, `idle-${look.replace(/\W+/g, '-')}.html`);
    writePage(process.env.TASKTWIN_PAGE!, file, data);
    const { page, check } = await pages.open(file, options);
    const height = async (): Promise<number> => (await page.locator('canvas.rows').boundingBox())!.height;
    const folded = await height();
    const box = page.locator('.fold input');
    assert.ok(await box.isChecked());
    await box.uncheck();
    await frame(page);
    assert.ok((await height()) !== folded, 'other rows, another height');
    await box.check();
    await frame(page);
    assert.equal(await height(), folded);
    assert.ok(await fits(page));
    await page.locator('.chart').scrollIntoViewIfNeeded();
    await shoot(page, `folded-${look.replace(/\W+/g, '-')}`);
    check();
  });

  test(`tables and tasks can be had as CSV (${look})`, async () => {
    const { page, report, check } = await pages.synthetic([{ tasks: 50, cores: 4 }], options);
    const load = async (button: string): Promise<{ name: string; lines: string[] }> => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(button).first().click()]);
      const text = readFileSync(await download.path(), 'utf8');
      return { name: download.suggestedFilename(), lines: text.trimEnd().split('\n') };
    };
    const tasks = await load('.controls button:has-text("Download as CSV")');
    assert.equal(tasks.name, 'synthetic-tasks.csv');
    assert.equal(tasks.lines.length, 1 + 2 * report.scenarios[0]!.graph.size);
    const kernels = await load('#kernels button.csv');
    assert.equal(kernels.name, 'kernels.csv');
    assert.match(kernels.lines[0]!, /^,Kernel,Tasks,"Mean \(predicted, µs\)"/);
    const rows = await page.locator('#kernels tbody tr').count();
    assert.equal(kernels.lines.length, 1 + rows - report.scenarios[0]!.designs.length, 'a group is a column, no row');
    assert.match(kernels.lines[1]!, /^central-dispatcher,gemm,\d+,[\d.]+,[\d.]+,[\d.]+,[\d.]+,[+-][\d.]+ %$/);
    assert.ok(await fits(page));
    check();
  });
}
