// Durations of bodies by kernel.
import type { Graph, Run } from '../decode';
import { percentile } from './histogram';

export interface Bodies {
  count: number;
  /** In ns; 0 where there is none. */
  mean: number;
  p95: number;
}

/** By kernel, as the graph's data lists them; of tasks of which start and end were observed. */
export function bodiesByKernel(graph: Graph, run: Run): Bodies[] {
  const { started, ended } = run.times;
  const durations: number[][] = graph.data.kernels.map(() => []);
  for (let task = 0; task < graph.size; ++task) {
    const duration = ended[task]! - started[task]!;
    if (Number.isFinite(duration)) durations[graph.kernel[task]!]!.push(duration);
  }
  return durations.map((of) => {
    const sorted = Float64Array.from(of).sort();
    const sum = sorted.reduce((total, duration) => total + duration, 0);
    return { count: sorted.length, mean: sorted.length > 0 ? sum / sorted.length : 0, p95: percentile(sorted, 0.95) ?? 0 };
  });
}
