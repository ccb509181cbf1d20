// What tasks are told apart by in colour: the kernel; where there is but one, what their names begin with.
import type { Graph } from '../decode';

export interface Groups {
  names: string[];
  /** By task, an index into `names`. */
  of: Int32Array;
}

/** More beginnings of names than these are numbers, not kinds. */
const mostBeginnings = 24;

const kept = new WeakMap<Graph, Groups>();

export function groupsOf(graph: Graph): Groups {
  let groups = kept.get(graph);
  if (!groups) kept.set(graph, (groups = group(graph)));
  return groups;
}

function group(graph: Graph): Groups {
  const kernels = { names: graph.data.kernels, of: graph.kernel };
  if (kernels.names.length > 1) return kernels;
  const numbers = new Map<string, number>();
  const of = Int32Array.from(graph.names, (name) => {
    const beginning = /^[A-Za-z_]+/.exec(name)?.[0].replace(/_+$/, '') ?? '';
    const number = numbers.get(beginning) ?? numbers.size;
    numbers.set(beginning, number);
    return number;
  });
  return numbers.size < 2 || numbers.size > mostBeginnings || numbers.has('') ? kernels : { names: [...numbers.keys()], of };
}
