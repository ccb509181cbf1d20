// The points of a search as the page sorts and filters them.
import type { SearchData } from '../data';
import { csvLine } from '../download';

/** A column of the table: how it is sorted, and what it says. */
export interface PointColumn {
  name: string;
  number: boolean;
  /** Of point `i`; what sorts it. */
  key: (i: number) => number;
  text: (i: number) => string;
  /** What it can be filtered by, each with its index as `key` gives it; none where it cannot. */
  choices: { key: number; text: string }[];
}

export interface Order {
  column: number;
  descending: boolean;
}

/** By column, the only key that is let through; absent for all. */
export type Filters = ReadonlyMap<number, number>;

export function filtered(columns: readonly PointColumn[], count: number, filters: Filters): number[] {
  const points: number[] = [];
  for (let i = 0; i < count; ++i) {
    let passes = true;
    for (const [column, key] of filters) passes &&= columns[column]!.key(i) === key;
    if (passes) points.push(i);
  }
  return points;
}

/** A copy; equal ones keep their order. */
export function sorted(columns: readonly PointColumn[], points: readonly number[], order: Order): number[] {
  const { key } = columns[order.column]!;
  const way = order.descending ? -1 : 1;
  return [...points].sort((a, b) => way * (key(a) - key(b)) || a - b);
}

export function csv(columns: readonly PointColumn[], points: readonly number[], raw: (column: number, i: number) => string): string {
  const lines = points.map((i) => csvLine(columns.map((_, column) => raw(column, i))));
  return csvLine(columns.map(({ name }) => name)) + lines.join('');
}

/** The last key of a path, with the one before where two end alike. */
export function shortNames(data: SearchData): string[] {
  const last = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
  const paths = data.axes.map(({ path }) => path);
  return paths.map((path) => (paths.filter((other) => last(other) === last(path)).length > 1 ? path.split('.').slice(-2).join('.') : last(path)));
}
