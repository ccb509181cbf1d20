// Made-up reports in the form of data.ts: a layered random graph, scheduled greedily on a few cores by control cores.
import type { DesignData, GraphData, MeasuredData, PairData, ReportData, RunData, ScenarioData } from 'page/data';
import { runData } from './run_data';
import { type Run, schedule } from './schedule';

export interface Wish {
  name?: string;
  tasks?: number;
  cores?: number;
  designs?: string[];
  measured?: boolean;
  /** Tasks that never come to be: each so many-th. */
  lost?: number;
  /** Each so many-th task is a copy. */
  copies?: number;
  /** The run with control cores, phases before the start, and the rest observed. */
  controlCores?: number;
  kernels?: string[];
  seed?: number;
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function graphData(wish: Required<Wish>, random: () => number): GraphData {
  const width = Math.max(1, Math.round(Math.sqrt(wish.tasks)));
  const graph: GraphData = {
    hash: 'synthetic',
    names: [],
    kernels: wish.kernels,
    kernel: [],
    core_types: ['sm', 'copy_h2d'],
    core_type: [],
    operations: ['kernel', 'copy_h2d'],
    operation: [],
    blocks: [],
    predecessor_count: [],
    predecessor_distance: [],
  };
  for (let task = 0; task < wish.tasks; ++task) {
    const layer = Math.floor(task / width);
    const kernel = layer % wish.kernels.length;
    const copy = wish.copies > 0 && task % wish.copies === 0 ? 1 : 0;
    graph.names.push(`${wish.kernels[kernel]}.${layer}.${task % width}`);
    graph.kernel.push(kernel);
    graph.core_type.push(copy);
    graph.operation.push(copy);
    graph.blocks.push(1);
    const before =
      layer === 0 ? [] : [...new Set([0, 1, 2].map(() => (layer - 1) * width + Math.floor(random() * width)))].sort((a, b) => a - b);
    graph.predecessor_count.push(before.length);
    for (const predecessor of before) graph.predecessor_distance.push(task - predecessor);
  }
  return graph;
}

function designData(name: string, index: number, wish: Required<Wish>, graph: GraphData): DesignData {
  const run = (seed: number): Run =>
    schedule(graph, {
      cores: wish.cores,
      controlCores: wish.controlCores,
      service: 200 + 150 * index,
      lost: wish.lost,
      random: randomNumbers(seed),
    });
  const data = (made: Run): RunData => runData(made, wish.cores, wish.controlCores);
  const predicted = data(run(wish.seed));
  let measured: MeasuredData | null = null;
  if (wish.measured) {
    const timeline = data(run(wish.seed + 1 + index));
    const median = Math.round(timeline.makespan_ns * 0.98);
    measured = {
      device: 'NVIDIA H200',
      driver: '580.0',
      date: '2026-01-01',
      commit: '0123456789abcdef',
      command: `tasktwin run ${wish.name} --designs ${name}`,
      makespans_ns: [median - 900, median, median + 1100],
      median_ns: median,
      quartiles_ns: [median - 450, median + 550],
      stamped_ns: timeline.makespan_ns,
      verified_ns: predicted.makespan_ns,
      host_pace: 1,
      error: predicted.makespan_ns / median - 1,
      doubts: [],
      run: timeline,
    };
  }
  const mean = predicted.makespan_ns;
  return {
    name,
    axes: {
      driver: 'persistent',
      dependency_release: index % 2 ? 'counters' : 'dispatcher',
      dispatchers: wish.controlCores,
      mailbox_depth: 1 + index,
    },
    bound_ns: Math.round(mean * 0.6),
    bound: 'area bound',
    makespans_ns: [mean],
    mean_ns: mean,
    interval_ns: null,
    predicted,
    measured,
    not_measured: measured ? '' : 'nobody has recorded a run',
  };
}

function pairs(designs: DesignData[]): PairData[] {
  return designs.flatMap((one, i) =>
    designs.slice(i + 1).map((two): PairData => {
      const [faster, slower] = one.mean_ns <= two.mean_ns ? [one, two] : [two, one];
      const gain = 1 - faster.mean_ns / slower.mean_ns;
      const sentence = `${faster.name} is faster than ${slower.name} by ${(gain * 100).toFixed(1)} %`;
      return {
        faster: faster.name,
        slower: slower.name,
        gain,
        low: gain,
        high: gain,
        separated: gain > 0,
        sentence,
        reasons: [],
        measured_sentence: '',
      };
    }),
  );
}

export function syntheticScenario(wished: Wish = {}): ScenarioData {
  const wish: Required<Wish> = {
    name: 'synthetic',
    tasks: 900,
    cores: 12,
    designs: ['central-dispatcher', 'static-queues'],
    measured: true,
    lost: 0,
    copies: 0,
    controlCores: 2,
    kernels: ['gemm', 'attention', 'norm', 'reduce'],
    seed: 1,
    ...wished,
  };
  const graph = graphData(wish, randomNumbers(wish.seed));
  const designs = wish.designs.map((name, index) => designData(name, index, wish, graph));
  const best = [...designs].sort((a, b) => a.mean_ns - b.mean_ns)[0]!;
  return {
    name: wish.name,
    description: 'A made-up layered graph.',
    question: '',
    finding: '',
    source: `scenarios/${wish.name}.yaml`,
    seed: String(wish.seed),
    runs: 1,
    random: [],
    graph,
    machine: {
      name: 'made-up',
      file: 'scenarios/machines/made-up.yaml',
      hash: 'feed',
      about: '',
      inherited: '',
      constants: [{ name: 'dispatch_ns', value: 200, unit: 'ns', interval: null, source: 'not measured; assumed', inherited: '' }],
      text: 'name: made-up\ndispatch_ns: 200\n',
    },
    designs,
    pairs: pairs(designs),
    predicted_winner: designs.length > 1 ? best.name : null,
    measured_winner: wish.measured && designs.length > 1 ? best.name : null,
    sensitivity_tried: 1,
    advice: null,
    rerun: null,
    sensitivity: [
      {
        constant: 'dispatch_ns',
        unit: 'ns',
        value: 200,
        factor: 0.5,
        makespans_ns: designs.map((design) => Math.round(design.mean_ns * 0.9)),
      },
    ],
  };
}

export function syntheticReport(...wishes: Wish[]): ReportData {
  return {
    format: 1,
    title: 'Made-up designs',
    provenance: { version: '0.0.0', commit: 'none', command: 'tasktwin compare synthetic --report out.html' },
    scenarios: (wishes.length ? wishes : [{}]).map(syntheticScenario),
  };
}
