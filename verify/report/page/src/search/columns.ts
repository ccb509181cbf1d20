// The columns of a search's table.
import type { SearchData } from '../data';
import { count, duration, signedPercent } from '../format';
import { type PointColumn, shortNames } from './points';

function slower(data: SearchData, i: number): string {
  const { low, high, slower: mean } = data.points;
  const [from, to] = [low[i] ?? null, high[i] ?? null];
  if (i === 0) return 'best';
  if (from === null || to === null || from === to) return signedPercent(mean[i]!, 2);
  return `${signedPercent(from)} to ${signedPercent(to)}`;
}

export function columnsOf(data: SearchData): PointColumn[] {
  const { points } = data;
  const names = shortNames(data);
  const words = (texts: readonly string[]): { key: number; text: string }[] => texts.map((text, key) => ({ key, text }));
  return [
    {
      name: 'design',
      number: false,
      key: (i) => points.design[i]!,
      text: (i) => data.designs[points.design[i]!]! + (points.base[i] === 1 ? ' (base)' : ''),
      choices: words(data.designs),
    },
    ...data.axes.map((axis, at): PointColumn => ({
      name: names[at]!,
      number: axis.values.every((value) => value !== '' && Number.isFinite(Number(value))),
      key: (i) => points.values[at]![i]!,
      text: (i) => axis.values[points.values[at]![i]!] ?? '',
      choices: words(axis.values),
    })),
    { name: 'makespan', number: true, key: (i) => points.makespan_ns[i]!, text: (i) => duration(points.makespan_ns[i]!), choices: [] },
    { name: 'slower', number: true, key: (i) => points.slower[i]!, text: (i) => slower(data, i), choices: [] },
    { name: 'runs', number: true, key: (i) => points.runs[i]!, text: (i) => count(points.runs[i]!), choices: [] },
    { name: data.cost, number: true, key: (i) => points.cost[i]!, text: (i) => count(points.cost[i]!), choices: [] },
    {
      name: 'stands',
      number: false,
      key: (i) => points.stands[i]!,
      text: (i) => data.stands[points.stands[i]!]!,
      choices: words(data.stands),
    },
  ];
}

/** As a program reads it: figures without units. */
export function rawOf(data: SearchData, columns: readonly PointColumn[]): (column: number, i: number) => string {
  const figures: Record<string, readonly number[]> = { makespan: data.points.makespan_ns, slower: data.points.slower };
  return (column, i) => figures[columns[column]!.name]?.[i]?.toString() ?? columns[column]!.text(i).replaceAll('\u202f', '');
}

