import assert from 'node:assert/strict';
import test from 'node:test';
import { ticks } from 'page/timeline/axis';
import { mixed, packed, paintLane } from 'page/timeline/raster';
import { find } from 'page/timeline/search';
import { lanes, type Span, spanAt } from 'page/timeline/spans';
import { View } from 'page/timeline/view';
import { randomNumbers } from '../support/synthetic';

const ground = packed(255, 255, 255);
const colours = Uint32Array.of(packed(200, 0, 0), packed(0, 100, 0), packed(0, 0, 50));

function randomSpans(random: () => number, count: number, longest: number): Span[] {
  const spans: Span[] = [];
  for (let time = 0, i = 0; i < count; ++i) {
    const begin = time + Math.floor(random() * longest);
    const end = begin + 1 + Math.floor(random() * longest);
    const hold = end + Math.floor(random() * 3);
    spans.push({ begin, end, hold, what: i % 3 });
    time = hold;
  }
  return spans;
}

const at = (view: View, share: number): number => view.begin + share * view.length;

test('zooming keeps the moment it is about where it is, within the run', () => {
  const view = new View();
  view.setWhole(1000);
  view.zoom(0.5, 250);
  assert.deepEqual([view.begin, view.end], [125, 625]);
  view.zoom(0.5, at(view, 0.2));
  assert.deepEqual([view.begin, view.end], [175, 425]);
  view.zoom(100);
  assert.deepEqual([view.begin, view.end], [0, 1000]);
  view.zoom(1e-9, 0);
  assert.deepEqual([view.begin, view.end], [0, 10]);
});

test('panning stops at both ends and keeps the length', () => {
  const view = new View();
  view.setWhole(1000);
  view.show(100, 300);
  view.pan(-500);
  assert.deepEqual([view.begin, view.end], [0, 200]);
  view.pan(5000);
  assert.deepEqual([view.begin, view.end], [800, 1000]);
});

test('a longer run leaves a chosen part in sight, and shows all where all was shown', () => {
  const view = new View();
  view.setWhole(1000);
  view.setWhole(2000);
  assert.deepEqual([view.begin, view.end], [0, 2000]);
  view.show(100, 300);
  view.setWhole(500);
  assert.deepEqual([view.begin, view.end], [100, 300]);
});

test('what is in sight is not moved; what is not comes to the middle', () => {
  const view = new View();
  view.setWhole(1000);
  view.show(0, 100);
  view.reveal(40, 60);
  assert.deepEqual([view.begin, view.end], [0, 100]);
  view.reveal(500, 520);
  assert.deepEqual([view.begin, view.end], [460, 560]);
});

test('spans that overlap go to lanes of their own, others share one', () => {
  const span = (begin: number, end: number): Span => ({ begin, end, hold: end, what: 0 });
  assert.equal(lanes([span(0, 10), span(10, 20), span(30, 40)]).length, 1);
  const split = lanes([span(0, 10), span(5, 20), span(12, 30)]);
  assert.deepEqual(
    split.map((lane) => [...lane.begin]),
    [[0, 12], [5]],
  );
  assert.equal(
    lanes(Array.from({ length: 50 }, () => span(0, 10))).reduce((sum, lane) => sum + lane.begin.length, 0),
    50,
  );
});

test('the span at a time is the one that a look at all of them finds', () => {
  const random = randomNumbers(7);
  const spans = randomSpans(random, 200, 40);
  const [lane] = lanes(spans);
  for (let time = -5; time < lane!.latest.at(-1)! + 5; ++time) {
    const inside = [...spans.keys()].filter((i) => spans[i]!.begin <= time && time <= spans[i]!.hold);
    assert.equal(spanAt(lane!, time, 0), inside.at(-1) ?? -1, `at ${time}`);
  }
  assert.equal(spanAt(lane!, lane!.latest.at(-1)! + 3, 3), spans.length - 1);
  assert.equal(spanAt(lane!, lane!.latest.at(-1)! + 4, 3), -1);
});

test('wide spans fill their pixels, and pixels of many spans get the mean of their colours', () => {
  const [lane] = lanes([
    { begin: 10, end: 30, hold: 30, what: 0 },
    { begin: 41, end: 42, hold: 42, what: 1 },
    { begin: 45, end: 46, hold: 46, what: 2 },
  ]);
  const line = new Uint32Array(6).fill(ground);
  paintLane(line, 0, 10, lane!, colours, ground);
  const mean = packed(0, 50, 25);
  assert.deepEqual([...line], [ground, colours[0], colours[0], ground, mixed(mean, ground, 0.3), ground]);
});

test('a line shows as much of the spans as there is, wherever it is cut', () => {
  const random = randomNumbers(3);
  const spans = randomSpans(random, 400, 30);
  const [lane] = lanes(spans);
  const black = Uint32Array.of(packed(0, 0, 0), packed(0, 0, 0), packed(0, 0, 0));
  for (const [begin, perPixel] of [
    [0, 50],
    [1234, 7],
    [333.3, 0.37],
    [-100, 90],
  ] as const) {
    const line = new Uint32Array(100).fill(ground);
    paintLane(line, begin, perPixel, lane!, black, ground);
    for (let x = 0; x < line.length; ++x) {
      const [from, to] = [begin + x * perPixel, begin + (x + 1) * perPixel];
      let cover = 0;
      for (const span of spans) {
        const dark = Math.max(0, Math.min(to, span.end) - Math.max(from, span.begin));
        const pale = span.hold - span.end >= perPixel ? Math.max(0, Math.min(to, span.hold) - Math.max(from, span.end)) : 0;
        cover += (dark + 0.45 * pale) / perPixel;
      }
      const shown = 1 - (line[x]! & 255) / 255;
      assert.ok(
        Math.abs(shown - cover) < 0.02 || (cover < 0.31 && shown <= 0.31),
        `pixel ${x} of ${perPixel} ns shows ${shown} of ${cover}`,
      );
    }
  }
});

test('ticks lie at round moments inside, and say them in one unit with the digits they need', () => {
  assert.deepEqual(ticks(0, 577_000, 6), {
    times: [0, 100_000, 200_000, 300_000, 400_000, 500_000],
    labels: ['0', '100', '200', '300', '400', '500'],
    unit: 'µs',
  });
  assert.deepEqual(ticks(500_010, 500_030, 4).labels, ['500.010', '500.015', '500.020', '500.025', '500.030']);
  assert.deepEqual(ticks(0, 900, 3).unit, 'ns');
});

test('names are found whatever their case, the exact one first, then by time', () => {
  const names = ['b.10', 'a.1', 'A.10', 'a.11', 'c'];
  const times = [5, 4, 3, NaN, 1];
  assert.deepEqual(
    find(names, ' A.1 ', (task) => times[task]!),
    [1, 2, 3],
  );
  assert.deepEqual(
    find(names, '.10', (task) => times[task]!),
    [2, 0],
  );
  assert.deepEqual(
    find(names, '', () => 0),
    [],
  );
});
