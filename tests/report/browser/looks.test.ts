import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { fixture, shoot } from '../support/fixture';

const pages = fixture();

const brightness = (page: Page, selector: string, property: string): Promise<number> =>
  page.evaluate(
    ([where, what]) => {
      const numbers = getComputedStyle(document.querySelector(where!)!).getPropertyValue(what!).match(/\d+/g) ?? [];
      return numbers.slice(0, 3).reduce((sum, value) => sum + Number(value), 0) / 3;
    },
    [selector, property],
  );

/** The mean brightness of what a canvas shows. */
const canvasBrightness = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas.rows')!;
    const context = Object.assign(document.createElement('canvas'), { width: canvas.width, height: 20 }).getContext('2d', {
      willReadFrequently: true,
    })!;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, 20);
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) sum += (data[i]! + data[i + 1]! + data[i + 2]!) / 3;
    return sum / (data.length / 4);
  });

for (const colorScheme of ['light', 'dark'] as const) {
  test(`follows the system's ${colorScheme} colours, and the reader's choice against them`, async () => {
    const { page, check } = await pages.synthetic([{}], { colorScheme });
    const isDark = async (): Promise<boolean[]> => [
      (await brightness(page, 'body', 'background-color')) < 60,
      (await canvasBrightness(page)) < 90,
    ];
    assert.deepEqual(await isDark(), [colorScheme === 'dark', colorScheme === 'dark']);
    await shoot(page, `whole-${colorScheme}`, true);
    await page.locator('button.theme').click();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.deepEqual(await isDark(), [colorScheme !== 'dark', colorScheme !== 'dark']);
    check();
  });
}

test('prints black on white, with the timelines, from dark colours', async () => {
  const { page, check } = await pages.synthetic([{}], { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  assert.ok((await canvasBrightness(page)) > 200);
  assert.ok(await page.locator('.controls').isHidden());
  const printed = await page.locator('img.still').evaluate((image: HTMLImageElement) => [image.naturalWidth, image.checkVisibility()]);
  assert.ok(Number(printed[0]) > 500 && printed[1], String(printed));
  await shoot(page, 'print', true);
  await page.emulateMedia({ media: null });
  const file = join(pages.folder, 'page.pdf');
  await page.pdf({ path: file, format: 'A4', landscape: true });
  assert.ok(statSync(file).size > 20_000);
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  check();
});
