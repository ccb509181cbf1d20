// Rows of cores that had nothing to do, folded into one.
import type { Run } from '../decode';
import { rowOfCore, rowsOf, type Row } from './rows';

export interface ShownRows {
  rows: Row[];
  /** By core: the place of its row in `rows`. */
  place: Int32Array;
  /** Cores that share a row with others. */
  folded: number;
}

const isIdle = (row: Row): boolean => !row.control && row.lanes.every((lane) => lane.begin.length === 0);

/** Neighbouring idle cores share a row where `fold` says so. */
export function shownRows(run: Run, fold: boolean): ShownRows {
  const all = rowsOf(run);
  const rows: Row[] = [];
  const place = Int32Array.from(run.data.cores, (_, core) => rowOfCore(run, core));
  let folded = 0;
  for (let at = 0; at < all.length; ) {
    let end = at + 1;
    if (fold && isIdle(all[at]!)) while (end < all.length && isIdle(all[end]!)) ++end;
    const [first, last] = [all[at]!, all[end - 1]!];
    for (let i = at; i < end; ++i) {
      if (!all[i]!.control) place[all[i]!.index] = rows.length;
    }
    if (end - at > 1) folded += end - at;
    rows.push(end - at > 1 ? { ...first, label: `${first.index}–${last.index} idle` } : first);
    at = end;
  }
  return { rows, place, folded };
}
