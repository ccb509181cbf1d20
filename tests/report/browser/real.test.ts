// Pages as `tasktwin compare --report` writes them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import test, { before } from 'node:test';
import { exact, microseconds } from 'page/format';
import { favourite } from 'page/decode';
import { fixture, shoot } from '../support/fixture';
import { shownTime, sightOf } from '../support/sight';

const pages = fixture();
const file = join(pages.folder, 'review.html');
const scenarios = ['llama-1b-decode', 'cholesky', 'ascend-paged-attention'];

before(() => {
  execFileSync(process.env.TASKTWIN!, ['compare', ...scenarios, '--quiet', '--no-sensitivity', '--report', file]);
});

test('the page is one file of less than 5 MB', () => assert.ok(statSync(file).size < 5e6, `${statSync(file).size} bytes`));

test('the verdict names the winners, and the predicted and measured makespan of each design', async () => {
  const { page, report, check } = await pages.open(file);
  assert.deepEqual(
    report.scenarios.map(({ data }) => data.name),
    scenarios,
  );
  const verdict = (await page.locator('#verdict').innerText()).replace(/\u202f/g, ' ');
  const number = (ns: number): string => microseconds(ns).replace(/\u202f/g, ' ');
  for (const { data, designs } of report.scenarios) {
    assert.ok(verdict.includes(data.predicted_winner!), data.name);
    for (const design of designs) {
      assert.ok(verdict.includes(number(design.data.mean_ns)), `${data.name}, ${design.data.name}`);
      if (design.data.measured)
        assert.ok(verdict.includes(number(design.data.measured.median_ns)), `${data.name}, ${design.data.name}, measured`);
    }
  }
  assert.ok(
    report.scenarios[1]!.designs.some((design) => design.measured),
    'the Cholesky was measured',
  );
  assert.equal(
    report.scenarios[2]!.designs.some((design) => design.measured),
    false,
    'the Ascend chip was not',
  );
  await shoot(page, 'real-verdict');
  check();
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [index, name] of scenarios.entries()) {
    test(`${name} in ${colorScheme} colours: zoom, hover, search, select`, async () => {
      const { page, report, check } = await pages.open(file, { colorScheme, viewport: { width: 1400, height: 1000 } });
      if (index > 0) {
        await page.locator('.scenarios label').nth(index).click();
        await page.waitForSelector(':root[data-state="ready"]', { state: 'attached' });
      }
      const second = page.locator('.second-design');
      if ((await second.count()) > 0) await second.selectOption({ label: 'none' });
      const scenario = report.scenarios[index]!;
      const design = favourite(scenario);
      const { graph } = scenario;
      const { times } = design.predicted;

      // The task with the longest body is wide enough to be pointed at.
      let longest = 0;
      for (let task = 1; task < graph.size; ++task) {
        if (!(times.ended[task]! - times.started[task]! <= times.ended[longest]! - times.started[longest]!)) longest = task;
      }
      const sight = await sightOf(page, scenario, design);
      const { x, y } = sight.place(sight.panes[0]!, longest);
      const whole = await shownTime(page);
      await page.mouse.move(x, y);
      await page.keyboard.down('Control');
      for (let i = 0; i < 6; ++i) await page.mouse.wheel(0, -300);
      await page.keyboard.up('Control');
      const zoomed = await shownTime(page);
      assert.ok(zoomed.end - zoomed.begin < (whole.end - whole.begin) / 20);
      // The mouse stands on whole pixels, and one of them was a long time before the zoom: the body's middle may be out of sight.
      const near = sight.place(sight.panes[0]!, longest, zoomed);
      // A mouse that stands there already would not move, and so be told nothing.
      await page.mouse.move(0, 0);
      await page.mouse.move(near.x, near.y);
      const tip = await page.locator('.tip').innerText();
      assert.equal(tip.split('\n')[0], graph.names[longest]);
      assert.ok(tip.includes(exact(times.started[longest]!)), tip);
      await shoot(page, `real-${name}-${colorScheme}-hover`);

      const last = graph.size - 1;
      await page.locator('.controls .search').fill(graph.names[last]!);
      await page.keyboard.press('Enter');
      assert.equal(await page.locator('.task-name').innerText(), graph.names[last]);
      const found = await shownTime(page);
      assert.ok(found.begin <= times.started[last]! && times.ended[last]! <= found.end, 'the task is in sight');
      assert.equal(await page.locator('.tasks').first().locator('button').count(), Math.min(40, graph.data.predecessor_count[last]!));
      await page.mouse.move(0, 0);
      await shoot(page, `real-${name}-${colorScheme}-search`);

      await page.locator('canvas.rows').focus();
      await page.keyboard.press('0');
      assert.deepEqual(await shownTime(page), whole);
      await shoot(page, `real-${name}-${colorScheme}`);
      check();
    });
  }
}
