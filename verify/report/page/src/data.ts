// What `tasktwin compare --report`, `tasktwin search --report` and `tasktwin run --metg` put into the page: one JSON document, deflated (zlib format, RFC 1950) and in base64, in
// <script type="application/octet-stream" id="report-data">. Written by verify/report/, read by nothing but this page.
//
// Times are whole nanoseconds on the run's own clock, whose origin is the moment the run could begin. A column is an array with
// one entry a row; a column called …_delta holds differences from the row before (the first row's from 0).

/** A column with null where the run did not observe the phase. */
export type Column = (number | null)[];

export interface ReportData {
  format: 1;
  title: string;
  provenance: Provenance;
  scenarios: ScenarioData[];
  /** What a benchmark measured, in place of scenarios; absent in a design review. */
  curves?: CurvesData;
  /** What a search found, in place of scenarios; absent in a design review. */
  search?: SearchData;
}

export interface SearchData {
  /** What was searched, and how much of it was tried: a sentence. */
  summary: string;
  /** What holds beyond the ranking: how many points cannot be told from the best, designs of which no point ran; a sentence each. */
  verdict: string[];
  designs: string[];
  axes: { path: string; values: string[] }[];
  /** Of `points.cost`: "control cores". */
  cost: string;
  stands: string[];
  points: SearchPointsData;
  importance: { path: string; factor: number; share: number; best: string; factor_by_point: number; best_by_point: string; of_design: string | null }[];
  skipped: { reason: string; points: number }[];
}

/** Columns, an entry a point, the best point first. */
export interface SearchPointsData {
  number: number[];
  /** Which of the designs. */
  design: number[];
  /** By axis: which of its values; -1 for an axis that the point's design has not, and where a design as the scenario has it is no combination. */
  values: number[][];
  makespan_ns: number[];
  runs: number[];
  /** Than the best, a fraction; `low` and `high` its interval, null where it is not known. */
  slower: number[];
  low: (number | null)[];
  high: (number | null)[];
  /** Which of `stands`. */
  stands: number[];
  cost: number[];
  /** 1 for those on the Pareto front. */
  front: number[];
  /** 1 for a design as the scenario has it. */
  base: number[];
}

/** Panels with one x axis, logarithmic, and one y axis from 0. */
export interface CurvesData {
  /** With their units. */
  x_label: string;
  y_label: string;
  x_range: [number, number];
  y_max: number;
  /** A horizontal line across every panel; null where there is none. */
  guide: number | null;
  panels: CurvePanelData[];
}

export interface CurvePanelData {
  title: string;
  curves: CurveData[];
}

export interface CurveData {
  name: string;
  /** Its colour: the same in every panel for the same thing. */
  style: number;
  predicted: boolean;
  /** Above 0, one a point; `y` likewise. */
  x: number[];
  y: number[];
}

export interface Provenance {
  version: string;
  commit: string;
  /** Reproduces the page. */
  command: string;
}

export interface ScenarioData {
  name: string;
  description: string;
  /** What the scenario is there to answer, and the answer; empty where there is none. */
  question: string;
  finding: string;
  /** As given on the command line, and as found. */
  source: string;
  /** In decimal digits: a seed of 64 bits does not fit a JavaScript number. */
  seed: string;
  /** Simulated runs a design; 1 where the seed decides nothing. */
  runs: number;
  /** What the seed draws, in words; empty where nothing is random. */
  random: string[];
  graph: GraphData;
  machine: MachineData;
  /** In the order asked for. */
  designs: DesignData[];
  /** Every pair, in the order of `designs`: first with second, first with third, … */
  pairs: PairData[];
  /** The design that beats each other beyond noise; null where none does. */
  predicted_winner: string | null;
  /** Of the designs that were measured; null where fewer than two were, or their noise hides the difference. */
  measured_winner: string | null;
  /** The constants that move any design by more than 0.05 %, the strongest first; empty where it was not asked for. */
  sensitivity: SensitivityRow[];
  /** How many constants were halved, one at a time, for it; 0 where it was not asked for. */
  sensitivity_tried: number;
  /** Of a captured program: what to change of it; null of other graphs, and of larger ones. */
  advice: AdviceData | null;
  /** Of a captured program: what `tasktwin rerun` measured of it; null where its file was not given. */
  rerun: RerunData | null;
  /** Of a scenario that is changed by options (--as, --scale, …); null or absent of one as it is. */
  what_if?: WhatIfData | null;
}

export interface RerunData {
  device: string;
  date: string;
  command: string[];
  /** What an iteration takes by itself, device and host; null where it ran once. */
  program_us: number | null;
  /** Whether each tensor had memory of its own. */
  own_memory: boolean;
  schedules: RerunScheduleData[];
}

/** Medians in µs; `host_us` is device and host, of which `least_us` and `most_us` are the extremes. */
export interface RerunScheduleData {
  schedule: string;
  device_us: number;
  host_us: number;
  least_us: number;
  most_us: number;
  /** With the host, before it ran. */
  predicted_us: number | null;
  /** "equal", "12 bytes differ", "not checked", … */
  results: string;
  differs: boolean;
}

export interface AdviceData {
  /** Which makes the program's calls again. */
  design: string;
  makespan_ns: number;
  /** Of the path of that run. */
  host_ns: number;
  /** What the work cannot take less than, and why. */
  bound: { name: string; bound_ns: number };
  /** How many changes were simulated. */
  tried: number;
  /** Those worth a row, the largest gain first. */
  proposals: ProposalData[];
  /** What is known of its waits and of the order within streams; "" where that is nothing. */
  order: string;
  remarks: string[];
}

export interface ProposalData {
  /** "graph", "streams", "wait", … */
  kind: string;
  what: string;
  /** Calls or kernels; "" where it is about the whole program. */
  where: string;
  /** Why it is safe and on which assumptions, a sentence each. */
  why: string[];
  /** Commands, and lines to write. */
  how: string[];
  /** Whether it is a schedule that `tasktwin rerun --plan` can follow. */
  schedule: boolean;
  makespan_ns: number;
  /** Of the makespan, a fraction; below 0 is faster. */
  change: number;
}

export interface WhatIfData {
  /** A phrase each. */
  changes: string[];
  /** Of a captured program: the program as it is. */
  baseline: { design: string; makespan_ns: number } | null;
  /** Where a gain over it comes from, and what has to hold. */
  sentences: string[];
}

export interface GraphData {
  hash: string;
  /** By task. */
  names: string[];
  /** Distinct kernels; `kernel` is by task, an index into it. The same for core types. */
  kernels: string[];
  kernel: number[];
  core_types: string[];
  core_type: number[];
  /** "kernel", "copy_h2d", "host", …; `operation` is by task. */
  operations: string[];
  operation: number[];
  /** SPMD width by task. */
  blocks: number[];
  /**
   * Predecessors by task: how many, and, task after task, the task minus its predecessor (below 0 where ids are not in topological
   * order).
   */
  predecessor_count: number[];
  predecessor_distance: number[];
}

export interface MachineData {
  name: string;
  file: string;
  hash: string;
  /** Device, driver and date where the file says so; empty otherwise. */
  about: string;
  /** How many of the constants that the designs read are another machine's: "34 of the 46 constants that count are X's"; empty for none. */
  inherited: string;
  constants: ConstantData[];
  /** All of it as the text of a machine file, changes that the scenario makes to it included. */
  text: string;
}

export interface ConstantData {
  name: string;
  value: number;
  /** "ns", "GB/s", "bytes", "cores", … ; "" for a ratio. */
  unit: string;
  /** 95 % confidence interval; null where the file states none. */
  interval: [number, number] | null;
  /** Where the value comes from, as the machine file says. */
  source: string;
  /** The machine whose value it is, where this machine's file does not state it; empty otherwise. */
  inherited: string;
}

export interface DesignData {
  name: string;
  /** Every axis under its own name, and what it is set to. */
  axes: Record<string, string | number | boolean>;
  /** The highest lower bound of the predicted run, and its name; 0 and "" where there is none. */
  bound_ns: number;
  bound: string;
  /** Predicted makespans of all runs, and the 95 % confidence interval of their mean; null where all are equal. */
  makespans_ns: number[];
  mean_ns: number;
  interval_ns: [number, number] | null;
  predicted: RunData;
  /** null where there is no measurement. */
  measured: MeasuredData | null;
  /** Why there is none, in words; empty where there is one. */
  not_measured: string;
}

export interface MeasuredData {
  device: string;
  driver: string;
  date: string;
  commit: string;
  command: string;
  /** Runs without phase stamps: what counts. */
  makespans_ns: number[];
  median_ns: number;
  /** First and third quartile. */
  quartiles_ns: [number, number];
  /** Median of the runs with stamps. */
  stamped_ns: number;
  /** What `tasktwin verify` predicts: with the pace that the host had, and the median run where chance decides something. */
  verified_ns: number;
  /** How many times as long the host's code took as the machine says. */
  host_pace: number;
  /** verified / measured − 1. */
  error: number;
  /** What is doubtful about the measurement, a sentence each; mostly empty. */
  doubts: string[];
  /** The timeline of one stamped run. */
  run: RunData;
}

export interface RunData {
  makespan_ns: number;
  /** By core (under driver `streams`: by stream) its type, and what one is called: "core" or "stream". */
  cores: string[];
  core_word: string;
  /** By core, on a machine of several devices: its device; those of a device stand together. */
  core_devices: number[];
  /** So many of `cores` are workers of one core: the first worker of each core, then the second of each, and so on. */
  workers_per_core: number;
  /** Copies between devices that the design put in: the task whose bytes they are, from and to where, when (ns). */
  transfers: { task: number[]; from: number[]; to: number[]; began: number[]; ended: number[] };
  /** By control core, its role. */
  roles: string[];
  tasks: TaskColumns;
  /** The parts of tasks on several cores; an entry a part, ascending by task. None where `cores` are streams: blocks lie on SMs. */
  parts: PartColumns;
  /**
   * By control core. Kinds index `step_kinds`; where nothing but busy spans was observed, their one kind is "busy". Of a captured program's
   * host a control core is a thread, and a kind its own time, a call by its name, or "wait: " and the name of the call.
   */
  step_kinds: string[];
  steps: StepColumns[];
  /** Ready tasks not yet taken. */
  queue: { time_delta: number[]; length: number[] };
  /** Bytes of device memory used by tasks, and held by the allocator. */
  memory: { time_delta: number[]; used: number[]; reserved: number[] };
  /** The observed critical path, from 0 to the makespan without gap: where each segment ends, its cause and its task. */
  path: { end_delta: number[]; cause: number[]; task: number[] };
  path_causes: string[];
  /** Nanoseconds by cause, in the order of `path_causes`. */
  path_ns: number[];
  /** Core time by cause; with `busy_ns` and `given_ns`, that of cores which control cores take, it sums up to all compute cores × makespan. */
  idle_causes: string[];
  idle_ns: number[];
  busy_ns: number;
  given_ns: number;
  /** busy_ns of that sum, as tables and JSON have it. */
  core_busy_share: number;
  /** By control core, of the makespan. */
  control_busy_shares: number[];
}

/** By task. A task that did not come to be has null everywhere. */
export interface TaskColumns {
  /** From the last task before it that started. */
  started_delta: Column;
  /** started − ready, started − dispatched, started − received. */
  ready_before: Column;
  dispatched_before: Column;
  received_before: Column;
  /** ended − started, published − ended. */
  duration: Column;
  publish: Column;
  core: Column;
  dispatcher: Column;
}

export interface PartColumns {
  task_delta: number[];
  core: number[];
  /** part.started − task.started. */
  started_after: number[];
  duration: number[];
  publish: Column;
}

export interface StepColumns {
  /** From the end of the step before. */
  gap: number[];
  duration: number[];
  kind: number[];
}

export interface PairData {
  faster: string;
  slower: string;
  /** Predicted: mean of slower − faster over the slower's mean, and its 95 % confidence interval. */
  gain: number;
  low: number;
  high: number;
  separated: boolean;
  /** "A is faster than B by 3.2 % (…)" */
  sentence: string;
  /** Why, from the explanation of the two runs; empty where they are not separated. */
  reasons: string[];
  /** The same pair by the medians measured, in words; "" where not both were measured. */
  measured_sentence: string;
}

export interface SensitivityRow {
  constant: string;
  unit: string;
  value: number;
  /** What it was multiplied by: 0.5. */
  factor: number;
  /** Predicted makespan by design, in the order of `designs`. */
  makespans_ns: number[];
}
