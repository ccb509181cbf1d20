// The sections beside the timelines, as a reader meets them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import type { ReportData } from 'page/data';
import { fits, fixture, looks } from '../support/fixture';
import { writePage } from '../support/page';
import { syntheticReport } from '../support/synthetic';

const pages = fixture();

async function openReport(report: ReportData, name: string, options?: BrowserContextOptions) {
  const file = join(pages.folder, `${name}.html`);
  writePage(process.env.TASKTWIN_PAGE!, file, report);
  return pages.open(file, options);
}

test('the verdict names the winner, and orders the designs by their prediction', async () => {
  const data = syntheticReport({ designs: ['slow', 'quick', 'middle'] });
  const scenario = data.scenarios[0]!;
  [3e6, 1e6, 2e6].forEach((mean, i) => (scenario.designs[i]!.mean_ns = mean));
  scenario.predicted_winner = 'quick';
  scenario.measured_winner = 'middle';
  const { page, check } = await openReport(data, 'winner');
  const headline = await page.locator('#verdict .headline').innerText();
  assert.match(headline, /^quick is predicted to win: 1\u202f000\.0\u202fµs, 50\.0\u202f% less than middle/);
  assert.match(headline, /Measured, middle wins/);
  const heads = await page.locator('#verdict .figures tbody th').allInnerTexts();
  assert.deepEqual(
    heads.map((head) => head.split(/\s/)[0]),
    ['quick', 'middle', 'slow'],
  );
  check();
});

test('what to change of a program is told with what it brings; other graphs have no such section', async () => {
  const data = syntheticReport({ designs: ['as-captured'] }, { designs: ['queue'] });
  data.scenarios[0]!.advice = {
    design: 'as-captured',
    makespan_ns: 2e6,
    host_ns: 5e5,
    bound: { name: 'work', bound_ns: 1e6 },
    tried: 7,
    proposals: [
      {
        kind: 'wait',
        what: 'without cudaStreamWaitEvent#1',
        where: 'cudaStreamWaitEvent#1 before gemm#4',
        why: ['others order all that it orders'],
        how: ["tasktwin simulate SCENARIO --without-wait 'cudaStreamWaitEvent#1'"],
        schedule: false,
        makespan_ns: 15e5,
        change: -0.25,
      },
    ],
    order: 'Of 3 waits 1 are needed.',
    remarks: ['kernels are small'],
  };
  const { page, check } = await openReport(data, 'advice');
  const text = await page.locator('#advice').innerText();
  assert.match(text, /2\u202f000\.0 µs, 500\.0 µs of it the host’s/);
  assert.match(text, /Of 3 waits 1 are needed/);
  assert.match(text, /without cudaStreamWaitEvent#1[\s\S]*1\u202f500\.0[\s\S]*25\.0/);
  assert.match(text, /kernels are small/);
  await page.locator('#advice summary').click();
  assert.match(await page.locator('#advice').innerText(), /others order all/);
  check();
});

test('what a rerun measured stands beside what was predicted, and results that differ are seen', async () => {
  const data = syntheticReport({ designs: ['as-captured'] });
  const schedule = { schedule: 'graph', device_us: 110, host_us: 120, least_us: 118, most_us: 131, predicted_us: 114, results: 'equal', differs: false };
  data.scenarios[0]!.rerun = {
    device: 'NVIDIA H200',
    date: '2026-11-20',
    command: ['python3', 'train.py'],
    program_us: 400,
    own_memory: false,
    schedules: [schedule, { ...schedule, schedule: 'cut:2', predicted_us: null, results: '12 bytes differ', differs: true }],
  };
  const { page, check } = await openReport(data, 'rerun');
  const text = await page.locator('#rerun').innerText();
  assert.match(text, /The program itself takes 400\.0 µs/);
  assert.match(text, /graph\s+110\.0\s+120\.0\s+118\.0 to 131\.0\s+114\.0\s+−5\.0\u202f%\s+equal/);
  assert.equal(await page.locator('#rerun strong').innerText(), '12 bytes differ');
  check();
});

test('a run without length, without cores and without tasks shows no number that is none', async () => {
  const data = syntheticReport({ tasks: 30, copies: 3, designs: ['empty', 'usual'] });
  const scenario = data.scenarios[0]!;
  const design = scenario.designs[0]!;
  const run = design.predicted;
  Object.assign(design, { mean_ns: 0, bound_ns: 0, bound: '', makespans_ns: [0], measured: null, not_measured: 'nobody ran it' });
  Object.assign(run, { makespan_ns: 0, busy_ns: 0, cores: [], roles: [], steps: [], queue: { time_delta: [], length: [] } });
  run.path = { end_delta: [], cause: [], task: [] };
  run.path_ns = run.path_ns.map(() => 0);
  run.idle_ns = run.idle_ns.map(() => 0);
  for (const column of Object.keys(run.tasks) as (keyof typeof run.tasks)[]) run.tasks[column] = run.tasks[column].map(() => null);
  scenario.sensitivity = [{ constant: 'hop_ns', unit: 'ns', value: 0.5, factor: 0.5, makespans_ns: [0, 5] }];
  scenario.sensitivity_tried = 1;
  const { page, check } = await openReport(data, 'zero');
  assert.doesNotMatch(await page.locator('main').innerHTML(), /NaN|undefined|Infinity/);
  assert.match(await page.locator('#verdict').innerText(), /nobody ran it/);
  check();
});

test('each table has a caption and heads with a scope, and each chart a text', async () => {
  const { page, check } = await pages.synthetic([{ copies: 4 }]);
  const bare = await page.evaluate(() =>
    [...document.querySelectorAll('main table')]
      .filter((table) => !table.querySelector('caption')?.textContent || table.querySelector('th:not([scope])'))
      .map((table) => table.outerHTML.slice(0, 200)),
  );
  assert.deepEqual(bare, []);
  const charts = page.locator('#over-time .plot, #delays svg');
  assert.ok((await charts.count()) >= 10);
  for (const chart of await charts.all()) {
    assert.equal(await chart.getAttribute('role'), 'img');
    assert.match((await chart.getAttribute('aria-label')) ?? '', /predicted/);
  }
  check();
});

test('shares of the critical path add up to the whole', async () => {
  const { page, check } = await pages.synthetic([{}]);
  for (const row of await page.locator('#critical-path .figures').first().locator('tbody tr').all()) {
    const shares = (await row.locator('small').allInnerTexts()).map((text) => Number.parseFloat(text));
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 0.3, String(shares));
  }
  check();
});

test('the name of a task on the critical path selects it', async () => {
  const { page, check } = await pages.synthetic([{}]);
  const link = page.locator('#critical-path tbody button.link').first();
  const name = await link.innerText();
  await link.click();
  assert.equal(await page.locator('#timelines .task-name').innerText(), name);
  check();
});

test('arrow keys move the cursor of all charts over time', async () => {
  const { page, check } = await pages.synthetic([{}]);
  const readouts = page.locator('#over-time .readout');
  const before = await readouts.allInnerTexts();
  await page.locator('#over-time .plot').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('#over-time .readout')].every((readout) => readout.textContent?.startsWith('at ')),
  );
  const after = await readouts.allInnerTexts();
  assert.ok(before.length > 2 && after.every((text, i) => text !== before[i]));
  check();
});

test('reasons are folded away on the screen and open in print', async () => {
  const data = syntheticReport({});
  data.scenarios[0]!.pairs[0]!.reasons = ['the slower one waits for its dispatcher'];
  const { page, check } = await openReport(data, 'reasons');
  const reason = page.locator('#verdict details li');
  assert.equal(await reason.isVisible(), false);
  await page.emulateMedia({ media: 'print' });
  await reason.waitFor({ state: 'visible' });
  await page.emulateMedia({ media: 'screen' });
  await reason.waitFor({ state: 'hidden' });
  await page.locator('#verdict summary').click();
  assert.ok(await reason.isVisible());
  check();
});

test('bars are drawn on one scale or each over its own length, as the reader chooses', async () => {
  const data = syntheticReport({ designs: ['short', 'long'], measured: false });
  data.scenarios[0]!.designs[1]!.predicted.path_ns = data.scenarios[0]!.designs[0]!.predicted.path_ns.map((part) => 2 * part);
  const { page, check } = await openReport(data, 'bars');
  const share = (): Promise<number> =>
    page.evaluate(() => {
      const bar = document.querySelector('#critical-path .bar')!;
      return [...bar.children].reduce((sum, piece) => sum + piece.getBoundingClientRect().width, 0) / bar.getBoundingClientRect().width;
    });
  assert.ok(Math.abs((await share()) - 0.5) < 0.01);
  await page.locator('#critical-path .choice label', { hasText: 'its own length' }).click();
  assert.ok(Math.abs((await share()) - 1) < 0.01);
  check();
});

for (const [look, options] of looks) {
  test(`bodies stand by kernel, predicted beside measured (${look})`, async () => {
    const { page, report, check } = await pages.synthetic([{ copies: 4 }], options);
    const { graph, designs } = report.scenarios[0]!;
    const rows = page.locator('#kernels tbody tr', { has: page.locator('td') });
    const first = await rows.first().locator('td').allInnerTexts();
    const ran = [...graph.kernel].filter((kernel, task) => kernel === 0 && Number.isFinite(designs[0]!.predicted.times.ended[task]!)).length;
    assert.equal(Number(first[0]!.replace(/\D/g, '')), ran);
    assert.equal(first.length, 6, 'with what was measured');
    assert.doesNotMatch(await page.locator('#kernels').innerText(), /NaN|undefined/);
    assert.ok(await fits(page));
    check();
  });

  test(`a heading that a link leads to stands below the links, however many lines they take (${look})`, async () => {
    const { page, check } = await pages.synthetic([{}], options);
    await page.locator('.links a[href="#kernels"]').click();
    await page.waitForTimeout(100);
    const [links, heading] = await page.evaluate(() =>
      ['.links', '#kernels h2'].map((selector) => document.querySelector(selector)!.getBoundingClientRect()),
    );
    assert.ok(heading!.top >= links!.bottom, `${heading!.top} under ${links!.bottom}`);
    check();
  });

  test(`bars are logarithmic where a design is far off, and say so (${look})`, async () => {
    const data = syntheticReport({ designs: ['near', 'far'] });
    const scenario = data.scenarios[0]!;
    [1e5, 1e7].forEach((mean, i) => Object.assign(scenario.designs[i]!, { mean_ns: mean, measured: null, not_measured: 'no' }));
    const { page, check } = await openReport(data, 'far', options);
    assert.match(await page.locator('#verdict caption').first().innerText(), /The bars are logarithmic/);
    const widths = await page.locator('#verdict .spans .fill-1').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    assert.ok(widths[0]! > 0.1 * widths[1]! && widths[0]! < widths[1]!, String(widths));
    assert.ok(await fits(page));
    check();
  });

  test(`where tasks were launched into streams, rows and tasks say so (${look})`, async () => {
    const data = syntheticReport({ designs: ['cuda-streams'] });
    const { predicted, measured } = data.scenarios[0]!.designs[0]!;
    for (const run of [predicted, measured!.run]) run.core_word = 'stream';
    const { page, check } = await openReport(data, 'streams', options);
    assert.match(await page.locator('#over-time').innerText(), /streams/);
    await page.locator('#critical-path tbody button.link').first().click();
    assert.match(await page.locator('#timelines').innerText(), /cuda-streams, predicted, stream \d+/);
    assert.doesNotMatch(await page.locator('#timelines').innerText(), /, core \d+/);
    assert.ok(await fits(page));
    check();
  });
}
