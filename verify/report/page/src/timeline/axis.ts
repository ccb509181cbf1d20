// Ticks of a time axis at round moments, all in one unit.
import { decimal } from '../format';

export interface Ticks {
  times: number[];
  labels: string[];
  unit: string;
}

const units: [number, string][] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

/** About `wanted` ticks in [begin, end], at multiples of 1, 2 or 5 times a power of ten ns. */
export function ticks(begin: number, end: number, wanted: number): Ticks {
  const rough = Math.max(1, (end - begin) / Math.max(1, wanted));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10);
  const [size, unit] = units.find(([ns]) => Math.max(Math.abs(begin), Math.abs(end)) >= ns * 2) ?? units.at(-1)!;
  const digits = Math.max(0, Math.round(Math.log10(size)) - Math.floor(Math.log10(step)));
  const times: number[] = [];
  for (let i = Math.ceil(begin / step); i * step <= end; ++i) times.push(i * step);
  return { times, labels: times.map((time) => decimal(time / size, digits)), unit };
}
