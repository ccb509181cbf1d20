// Curves over one axis, as a chart of several lines wants them.
import type { CurveData } from '../data';

export type Column = (number | null)[];
/** The x, and a column of y a curve. */
export type Aligned = [number[], ...Column[]];

/** All x of the curves, ascending, and a column of y a curve: null where it has no point. Of equal x in one curve the last counts. */
export function aligned(curves: readonly CurveData[]): Aligned {
  const all = [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
  const at = new Map(all.map((x, index) => [x, index]));
  const columns = curves.map((curve) => {
    const column: Column = all.map(() => null);
    curve.x.forEach((x, i) => (column[at.get(x)!] = curve.y[i]!));
    return column;
  });
  return [all, ...columns];
}
