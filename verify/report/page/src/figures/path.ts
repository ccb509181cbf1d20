// The longest stretches of an observed critical path.
import type { Path } from '../decode';

export interface Segment {
  begin: number;
  end: number;
  cause: number;
  /** −1 for none. */
  task: number;
}

/** The longest first, those of equal length in the order of the path; segments without length are left out. */
export function longestSegments(path: Path, most: number): Segment[] {
  const order = Array.from(path.end, (_, i) => i).filter((i) => path.end[i]! > path.begin[i]!);
  order.sort((a, b) => path.end[b]! - path.begin[b]! - (path.end[a]! - path.begin[a]!) || a - b);
  return order.slice(0, most).map((i) => ({ begin: path.begin[i]!, end: path.end[i]!, cause: path.cause[i]!, task: path.task[i]! }));
}
