import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fixture, shoot } from '../support/fixture';
import { shownTime, sightOf } from '../support/sight';

const pages = fixture();

test('100 000 tasks: opens, pans and zooms; how fast is said in the log', async (context) => {
  const file = join(pages.folder, 'layered-100k.html');
  execFileSync(process.env.TASKTWIN!, ['compare', 'layered-100k', '--quiet', '--no-sensitivity', '--report', file]);
  const { page, report, check } = await pages.open(file);
  assert.equal(report.scenarios[0]!.graph.size, 100_000);
  const ready = await page.evaluate(() => performance.getEntriesByName('tasktwin-ready')[0]?.startTime ?? NaN);
  context.diagnostic(`processes that want to run: ${loadavg()[0]!.toFixed(1)}, on ${cpus().length} cores`);
  context.diagnostic(`opened, with all sections drawn, after ${Math.round(ready)} ms`);
  await sightOf(page, report.scenarios[0]!);
  await page.locator('canvas.rows').focus();
  for (const zooms of [0, 3, 8]) {
    await page.keyboard.press('0');
    for (let i = 0; i < zooms; ++i) await page.keyboard.press('+');
    const before = await shownTime(page);
    const rate = await page.evaluate(async () => {
      const canvas = document.querySelector('canvas.rows')!;
      const frames = 60;
      const begin = performance.now();
      for (let i = 0; i < frames; ++i) {
        canvas.dispatchEvent(new WheelEvent('wheel', { deltaX: i < frames / 2 ? 40 : 20, shiftKey: true, cancelable: true }));
        if (i % 2) canvas.dispatchEvent(new KeyboardEvent('keydown', { key: i % 4 === 1 ? 'ArrowUp' : 'ArrowDown' }));
        await new Promise((done) => requestAnimationFrame(done));
      }
      return (1000 * frames) / (performance.now() - begin);
    });
    if (zooms > 0) assert.notDeepEqual(await shownTime(page), before);
    const share = (before.end - before.begin) / report.scenarios[0]!.designs[0]!.predicted.makespan;
    context.diagnostic(`panning with ${Math.round(100 * share)} % of the run in sight: ${rate.toFixed(0)} frames/s`);
  }
  await shoot(page, 'large');
  check();
});
