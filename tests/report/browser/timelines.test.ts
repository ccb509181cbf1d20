import assert from 'node:assert/strict';
import test from 'node:test';
import { exact } from 'page/format';
import { fits, fixture, looks, shoot } from '../support/fixture';
import { shownTime, sightOf } from '../support/sight';

const pages = fixture();

test('hovering a task shows its name, phases and why it waited', async () => {
  const { page, report, check } = await pages.synthetic([{ tasks: 100, cores: 4 }]);
  const scenario = report.scenarios[0]!;
  const sight = await sightOf(page, scenario);
  for (const [pane, task] of [
    [sight.panes[0]!, 42],
    [sight.panes[1]!, 77],
  ] as const) {
    const { x, y } = sight.place(pane, task);
    await page.mouse.move(x, y);
    const tip = await page.locator('.tip').innerText();
    assert.ok(tip.startsWith(scenario.graph.names[task]!), tip);
    assert.ok(tip.includes(exact(pane.run.times.started[task]!)), tip);
    assert.match(tip, /Its last predecessor was/);
    assert.ok(tip.includes(pane.measured ? 'measured' : 'predicted'));
  }
  await shoot(page, 'hover');
  await page.mouse.move(5, 5);
  assert.ok(await page.locator('.tip').isHidden());
  check();
});

test('hovering a control core says what it was at', async () => {
  const { page, report, check } = await pages.synthetic([{ tasks: 20, cores: 4 }]);
  const sight = await sightOf(page, report.scenarios[0]!);
  const box = (await page.locator('canvas.rows').boundingBox())!;
  const pane = sight.panes[0]!;
  const steps = pane.run.steps[0]!;
  const total = Math.max(...sight.panes.map(({ run }) => run.makespan));
  const time = (steps.begin[0]! + steps.end[0]!) / 2;
  await page.mouse.move(box.x + 104 + (time / total) * sight.layout.plotWidth, box.y + sight.layout.rowTop(pane, 0) + 3);
  assert.match(await page.locator('.tip').innerText(), /scheduler 0[\s\S]*dispatch: /);
  check();
});

test('wheel, drag and buttons zoom and move', async () => {
  const { page, report, check } = await pages.synthetic([{}]);
  const sight = await sightOf(page, report.scenarios[0]!);
  const whole = await shownTime(page);
  assert.equal(whole.begin, 0);
  const { x, y } = sight.place(sight.panes[0]!, 450);
  await page.mouse.move(x, y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -600);
  await page.keyboard.up('Control');
  const zoomed = await shownTime(page);
  assert.ok(zoomed.end - zoomed.begin < 0.5 * (whole.end - whole.begin));
  const { started, ended } = sight.panes[0]!.run.times;
  assert.ok(zoomed.begin < started[450]! && ended[450]! < zoomed.end, 'what is under the pointer stays in sight');
  await page.mouse.down();
  await page.mouse.move(x - 200, y, { steps: 5 });
  await page.mouse.up();
  const moved = await shownTime(page);
  assert.ok(moved.begin > zoomed.begin);
  assert.ok(Math.abs(moved.end - moved.begin - (zoomed.end - zoomed.begin)) <= 2);
  await page.locator('.controls button[aria-label="Zoom in"]').click();
  const closer = await shownTime(page);
  assert.ok(closer.end - closer.begin < moved.end - moved.begin);
  await page.mouse.dblclick(x, y);
  assert.deepEqual(await shownTime(page), whole);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 200);
  assert.deepEqual(await shownTime(page), whole, 'the wheel alone scrolls the page');
  check();
});

test('search counts the hits and jumps to the right tasks', async () => {
  const { page, report, check } = await pages.synthetic([{}]);
  const { graph, designs } = report.scenarios[0]!;
  const wanted = graph.names.filter((name) => name.includes('norm.2'));
  assert.ok(wanted.length > 5);
  await page.locator('.controls .search').fill('NORM.2');
  assert.match(await page.locator('.hits').innerText(), new RegExp(`^${wanted.length} tasks`));
  const { started, ended } = designs[0]!.predicted.times;
  const byStart = wanted.map((name) => graph.names.indexOf(name)).sort((a, b) => started[a]! - started[b]! || a - b);
  for (const task of byStart.slice(0, 3)) {
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.task-name').innerText(), graph.names[task]);
    const shown = await shownTime(page);
    assert.ok(shown.begin <= started[task]! && ended[task]! <= shown.end, 'it is in sight');
  }
  await shoot(page, 'search');
  await page.locator('.controls .search').fill('no such task');
  assert.match(await page.locator('.hits').innerText(), /^0 tasks/);
  check();
});

test('clicking a task lists its dependencies, and they can be followed', async () => {
  const { page, report, check } = await pages.synthetic([{ tasks: 100, cores: 4 }]);
  const { graph } = report.scenarios[0]!;
  const sight = await sightOf(page, report.scenarios[0]!);
  const { x, y } = sight.place(sight.panes[0]!, 55);
  await page.mouse.click(x, y);
  assert.equal(await page.locator('.task-name').innerText(), graph.names[55]);
  const names = (rows: { start: Uint32Array; task: Uint32Array }): string[] =>
    [...rows.task.subarray(rows.start[55], rows.start[56])].map((task) => graph.names[task]!);
  const expected = [...names(graph.predecessors), ...names(graph.successors)];
  assert.deepEqual(await page.locator('.tasks button').allInnerTexts(), expected);
  await page.mouse.move(0, 0);
  await shoot(page, 'dependencies');
  await page.locator('.tasks button').first().click();
  assert.equal(await page.locator('.task-name').innerText(), expected[0]);
  assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('rows')), 'keys go on working');
  check();
});

for (const [look, options] of looks) {
  test(`two designs are shown one above the other, and coloured by difference and by critical path (${look})`, async () => {
    const { page, check } = await pages.synthetic([{}], options);
    await page.locator('.second-design').selectOption({ index: 2 });
    const label = await page.locator('canvas.rows').getAttribute('aria-label');
    assert.ok(
      label?.endsWith('central-dispatcher predicted, central-dispatcher measured, static-queues predicted, static-queues measured'),
      label ?? '',
    );
    for (const [word, said] of [
      ['delay difference', 'shorter than measured'],
      ['body difference', 'shorter than measured'],
      ['critical path', 'on the observed critical path'],
    ] as const) {
      await page.locator('.choice label', { hasText: word }).click();
      assert.ok((await page.locator('.legend').innerText()).includes(said));
      await page.locator('.chart').scrollIntoViewIfNeeded();
      await shoot(page, `colours-${word.replace(' ', '-')}-${look.replace(', ', '-')}`);
    }
    assert.ok(await fits(page));
    check();
  });
}

test('everything can be done by keyboard', async () => {
  const { page, report, check } = await pages.synthetic([{}]);
  const { graph, designs } = report.scenarios[0]!;
  for (let i = 0; i < 60 && !(await page.evaluate(() => document.activeElement?.classList.contains('rows'))); ++i)
    await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('rows')), 'Tab reaches the timelines');
  const whole = await shownTime(page);
  await page.keyboard.press('+');
  const zoomed = await shownTime(page);
  assert.ok(zoomed.end - zoomed.begin < whole.end - whole.begin);
  await page.keyboard.press('ArrowRight');
  assert.ok((await shownTime(page)).begin > zoomed.begin);
  await page.keyboard.press('Home');
  assert.equal((await shownTime(page)).begin, 0);
  await page.keyboard.press('End');
  assert.equal((await shownTime(page)).end, whole.end);
  await page.keyboard.press('0');
  assert.deepEqual(await shownTime(page), whole);
  await page.keyboard.press('/');
  await page.keyboard.type('gemm.0');
  await page.keyboard.press('Enter');
  const first = await page.locator('.task-name').innerText();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  assert.notEqual(await page.locator('.task-name').innerText(), first);
  await page.keyboard.press('p');
  assert.equal(await page.locator('.task-name').innerText(), first);
  const { times } = designs[0]!.predicted;
  const here = graph.names.indexOf(first);
  const later = graph.names
    .map((_, task) => task)
    .filter((task) => times.core[task] === times.core[here] && times.started[task]! > times.started[here]!);
  later.sort((a, b) => times.started[a]! - times.started[b]!);
  await page.keyboard.press('Shift+ArrowRight');
  assert.equal(await page.locator('.task-name').innerText(), graph.names[later[0]!]);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.task-name').count(), 0);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.task-name').count(), 1);
  check();
});
