// The report as the page works with it.
import type { DesignData, GraphData, Provenance, ReportData, ScenarioData } from './data';
import { Run } from './run';

export { Run };
export type { Parts, Path, Steps, Times } from './run';

export interface Report {
  title: string;
  provenance: Provenance;
  scenarios: Scenario[];
}

export interface Scenario {
  data: ScenarioData;
  graph: Graph;
  designs: Design[];
}

export interface Design {
  data: DesignData;
  /** Among the scenario's designs. */
  index: number;
  predicted: Run;
  measured: Run | null;
}

/** Edges in compressed rows: those of task t are [start[t], start[t + 1]). */
export interface Rows {
  start: Uint32Array;
  task: Uint32Array;
}

export interface Graph {
  data: GraphData;
  size: number;
  edgeCount: number;
  names: string[];
  kernel: Int32Array;
  predecessors: Rows;
  successors: Rows;
}

/** What the timelines show first: the winner, predicted or else measured; where none is, the first design. */
export function favourite(scenario: Scenario): Design {
  const name = scenario.data.predicted_winner ?? scenario.data.measured_winner;
  return scenario.designs.find((design) => design.data.name === name) ?? scenario.designs[0]!;
}

/** What is shown below the favourite first: the fastest of the others. Where the favourite was measured that is below it already: none. */
export function runnerUp(scenario: Scenario): Design | null {
  const first = favourite(scenario);
  if (first.measured) return null;
  const others = scenario.designs.filter((design) => design !== first);
  return others.sort((a, b) => a.data.mean_ns - b.data.mean_ns)[0] ?? null;
}

function decodeGraph(data: GraphData): Graph {
  const size = data.names.length;
  const predecessors: Rows = { start: new Uint32Array(size + 1), task: new Uint32Array(data.predecessor_distance.length) };
  const successors: Rows = { start: new Uint32Array(size + 1), task: new Uint32Array(data.predecessor_distance.length) };
  for (let task = 0, edge = 0; task < size; ++task) {
    const end = (predecessors.start[task + 1] = edge + data.predecessor_count[task]!);
    for (; edge < end; ++edge) {
      const before = (predecessors.task[edge] = task - data.predecessor_distance[edge]!);
      ++successors.start[before + 1]!;
    }
  }
  for (let task = 0; task < size; ++task) successors.start[task + 1]! += successors.start[task]!;
  const next = successors.start.slice();
  for (let task = 0; task < size; ++task) {
    for (let edge = predecessors.start[task]!; edge < predecessors.start[task + 1]!; ++edge) {
      successors.task[next[predecessors.task[edge]!]!++] = task;
    }
  }
  return {
    data,
    size,
    edgeCount: predecessors.task.length,
    names: data.names,
    kernel: Int32Array.from(data.kernel),
    predecessors,
    successors,
  };
}

export function decodeReport(data: ReportData): Report {
  const scenarios = data.scenarios.map((scenario): Scenario => {
    const designs = scenario.designs.map((design, index): Design => ({
      data: design,
      index,
      predicted: new Run(design.predicted),
      measured: design.measured && new Run(design.measured.run),
    }));
    return { data: scenario, graph: decodeGraph(scenario.graph), designs };
  });
  return { title: data.title, provenance: data.provenance, scenarios };
}
