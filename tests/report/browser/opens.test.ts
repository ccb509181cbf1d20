import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, shoot } from '../support/fixture';
import type { Wish } from '../support/synthetic';

const pages = fixture();

const reports: Record<string, Wish[]> = {
  'two scenarios, one without measurements': [{ name: 'layers' }, { name: 'unmeasured', measured: false, designs: ['a', 'b', 'c'] }],
  'one task and one design': [{ tasks: 1, measured: false, designs: ['alone'] }],
  'twenty designs': [{ tasks: 100, designs: Array.from({ length: 20 }, (_, i) => `design-${i}`) }],
  'tasks that never came to be, copies, no control cores': [{ lost: 7, copies: 5, controlCores: 0 }],
  'more kernels than colours': [{ kernels: Array.from({ length: 20 }, (_, i) => `kernel-${i}`) }],
  'hostile names': [{ name: '</script><hostile>', kernels: ['<img src=x onerror=alert(1)>', '"&amp;'], designs: ['<hostile>', '-->'] }],
};

for (const [name, wishes] of Object.entries(reports)) {
  test(`opens from disk, asking for nothing and complaining about nothing: ${name}`, async () => {
    const { page, report, check } = await pages.synthetic(wishes);
    assert.equal(await page.locator(':root').getAttribute('data-state'), 'ready');
    assert.equal(await page.title(), report.title);
    const text = await page.locator('body').innerText();
    assert.doesNotMatch(text, /NaN|undefined|Infinity|\[object/);
    for (const { data } of report.scenarios[0]!.designs) assert.ok(text.includes(data.name), data.name);
    assert.equal(await page.locator('hostile, img:not(.still)').count(), 0);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide`);
    check();
  });
}

test('another scenario is shown when it is chosen', async () => {
  const { page, report, check } = await pages.synthetic([{ name: 'first' }, { name: 'second', designs: ['x', 'y'], measured: false }]);
  await page.locator('.scenarios label', { hasText: 'second' }).click();
  await page.waitForSelector(':root[data-state="ready"]', { state: 'attached' });
  const label = await page.locator('canvas.rows').getAttribute('aria-label');
  assert.ok(label?.endsWith('x predicted, y predicted'), label ?? 'no label');
  assert.equal(report.scenarios[1]!.designs[0]!.data.name, 'x');
  check();
});

test('a page without data says so', async () => {
  const page = await pages.empty();
  await page.waitForSelector('.fault');
  assert.match(await page.locator('.fault').innerText(), /without data/);
});

test('nothing is cut off in a narrow window', async () => {
  const { page, check } = await pages.synthetic([{}], { viewport: { width: 420, height: 800 } });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide`);
  await shoot(page, 'narrow', true);
  check();
});
