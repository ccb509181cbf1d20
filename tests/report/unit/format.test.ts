import assert from 'node:assert/strict';
import test from 'node:test';
import { bytes, count, decimal, duration, exact, percent, signedDuration, signedPercent } from 'page/format';

const plain = (text: string): string => text.replace(/\u202f/g, '_');

test('durations are in the unit that suits them', () => {
  const said: [number, string][] = [
    [0, '0_ns'],
    [417, '417_ns'],
    [1000, '1.00_µs'],
    [99_999, '100.00_µs'],
    [579_900, '579.9_µs'],
    [1_894_100, '1_894.1_µs'],
    [47_097_300, '47.10_ms'],
    [12e9, '12.000_s'],
  ];
  for (const [ns, text] of said) assert.equal(plain(duration(ns)), text);
});

test('signs, shares and thousands', () => {
  assert.equal(plain(count(1234567)), '1_234_567');
  assert.equal(plain(decimal(-1234.56, 1)), '−1_234.6');
  assert.equal(decimal(-0.01, 1), '0.0');
  assert.equal(plain(percent(0.1234)), '12.3_%');
  assert.equal(plain(signedPercent(-0.05)), '−5.0_%');
  assert.equal(plain(signedPercent(0.05)), '+5.0_%');
  assert.equal(plain(signedDuration(-1500)), '−1.50_µs');
  assert.equal(plain(exact(12345)), '12.345_µs');
  assert.equal(plain(bytes(1536)), '1.5_KiB');
});

test('what is no number is a dash', () => {
  for (const say of [count, duration, exact, percent, signedPercent, signedDuration, bytes]) assert.equal(say(NaN), '–');
});
