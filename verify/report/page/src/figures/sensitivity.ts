// What a changed constant does to each design's makespan, and to which of them is fastest.
import type { SensitivityRow } from '../data';

export interface Effect {
  row: SensitivityRow;
  /** Changed makespan over the unchanged − 1, by design; 0 where the makespan is 0 either way. */
  changes: number[];
  /** The largest of them without its sign. */
  largest: number;
  /** The design that is fastest with the constant changed, where it is another than without; null otherwise. */
  new_winner: number | null;
}

/** Of several that are equally fast the first; −1 of none. */
export function fastest(makespans: readonly number[]): number {
  let best = -1;
  makespans.forEach((makespan, i) => {
    if (best < 0 || makespan < makespans[best]!) best = i;
  });
  return best;
}

/** The strongest first. `makespans` are the unchanged ones, by design. A tie with the unchanged winner changes nothing. */
export function effects(rows: readonly SensitivityRow[], makespans: readonly number[]): Effect[] {
  const winner = fastest(makespans);
  return rows
    .map((row) => {
      const changes = row.makespans_ns.map((changed, i) => (makespans[i]! > 0 ? changed / makespans[i]! - 1 : 0));
      const largest = changes.reduce((most, change) => Math.max(most, Math.abs(change)), 0);
      const now = fastest(row.makespans_ns);
      const overtaken = now >= 0 && row.makespans_ns[now]! < row.makespans_ns[winner]!;
      return { row, changes, largest, new_winner: overtaken ? now : null };
    })
    .sort((a, b) => b.largest - a.largest);
}
