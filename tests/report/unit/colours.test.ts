import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { seriesCount } from 'page/theme';

/** WCAG 2's relative luminance and contrast. */
function luminance(colour: string): number {
  const part = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** As eyes without one kind of cones see it (Viénot, Brettel and Mollon 1999, on linear light). */
function seenBy(kind: 'protanope' | 'deuteranope', colour: string): number[] {
  const linear = [1, 3, 5].map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  const matrix = {
    protanope: [
      [0.11238, 0.88762, 0],
      [0.11238, 0.88762, 0],
      [0.00401, -0.00401, 1],
    ],
    deuteranope: [
      [0.29275, 0.70725, 0],
      [0.29275, 0.70725, 0],
      [-0.02234, 0.02234, 1],
    ],
  }[kind];
  return matrix.map(
    (row) =>
      255 *
      Math.max(
        0,
        row.reduce((sum, weight, i) => sum + weight * linear[i]!, 0),
      ) **
        (1 / 2.2),
  );
}

const apart = (a: number[], b: number[]): number => Math.hypot(...a.map((value, i) => value - b[i]!));

const sheet = readFileSync(join(dirname(process.env.TASKTWIN_PAGE!), 'src/page.css'), 'utf8');
function colours(selector: string): Map<string, string> {
  const begin = sheet.indexOf(`${selector} {`);
  assert.ok(begin >= 0, selector);
  const block = sheet.slice(begin, sheet.indexOf('}', begin));
  return new Map([...block.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)].map((found) => [found[1]!, found[2]!]));
}

for (const [name, selector] of [
  ['light', ':root'],
  ['dark', ":root[data-theme='dark']"],
] as const) {
  const theme = colours(selector);
  const colour = (property: string): string => theme.get(property) ?? assert.fail(property);

  test(`${name}: text is readable, a contrast of 4.5 or more`, () => {
    for (const text of ['--text', '--quiet', '--accent', '--good', '--bad']) {
      for (const ground of ['--ground', '--raised']) {
        assert.ok(
          contrast(colour(text), colour(ground)) >= 4.5,
          `${text} on ${ground}: ${contrast(colour(text), colour(ground)).toFixed(2)}`,
        );
      }
    }
  });

  test(`${name}: what is focused or marked stands out, a contrast of 3 or more`, () => {
    for (const mark of ['--focus', '--mark']) assert.ok(contrast(colour(mark), colour('--ground')) >= 3, mark);
  });

  test(`${name}: every span stands out from an idle core`, () => {
    for (let i = 1; i <= seriesCount; ++i) {
      const [idle, series] = [colour('--idle'), colour(`--series-${i}`)];
      assert.ok(contrast(idle, series) >= 1.5, `--series-${i}: ${contrast(idle, series).toFixed(2)}`);
    }
  });

  test(`${name}: earlier and later, and the first six series, differ for the colour-blind`, () => {
    const names = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6'];
    for (const kind of ['protanope', 'deuteranope'] as const) {
      const seen = (property: string): number[] => seenBy(kind, colour(property));
      assert.ok(apart(seen('--early'), seen('--late')) >= 60, kind);
      names.forEach((a, i) => {
        for (const b of names.slice(i + 1))
          assert.ok(apart(seen(a), seen(b)) >= 20, `${kind}: ${a} and ${b}: ${apart(seen(a), seen(b)).toFixed(0)}`);
      });
    }
  });
}
