// How the designs of a scenario stand to each other.
import type { DesignData, PairData, ScenarioData } from '../data';

/** a / b − 1; null where b is 0. */
export function over(a: number, b: number): number | null {
  return b > 0 ? a / b - 1 : null;
}

/** Indices of designs, the fastest predicted first; of equal ones in their own order. */
export function byPrediction(designs: readonly DesignData[]): number[] {
  return designs.map((_, i) => i).sort((a, b) => designs[a]!.mean_ns - designs[b]!.mean_ns || a - b);
}

/** Indices of the designs that were measured, the lowest median first. */
export function byMeasurement(designs: readonly DesignData[]): number[] {
  const measured = designs.map((_, i) => i).filter((i) => designs[i]!.measured !== null);
  return measured.sort((a, b) => designs[a]!.measured!.median_ns - designs[b]!.measured!.median_ns || a - b);
}

/** Whether the medians measured are the other way round than the prediction; false where either was not measured. */
export function contradicted(pair: PairData, designs: readonly DesignData[]): boolean {
  const median = (name: string) => designs.find((design) => design.name === name)?.measured?.median_ns;
  const faster = median(pair.faster);
  const slower = median(pair.slower);
  return pair.separated && faster !== undefined && slower !== undefined && faster > slower;
}

/** Pairs that differ beyond noise: those with the winner (else with the fastest) first, then by how much they differ. */
export function separatedPairs(scenario: ScenarioData): PairData[] {
  const best = scenario.predicted_winner ?? scenario.designs[byPrediction(scenario.designs)[0] ?? 0]?.name;
  const withBest = (pair: PairData) => (pair.faster === best || pair.slower === best ? 0 : 1);
  return scenario.pairs.filter((pair) => pair.separated).sort((a, b) => withBest(a) - withBest(b) || a.gain - b.gain);
}

/** Names of designs that stand in a scenario, of all scenarios, in the order in which they come up. */
export function allDesigns(scenarios: readonly ScenarioData[]): string[] {
  return [...new Set(scenarios.flatMap((scenario) => scenario.designs.map((design) => design.name)))];
}

export interface Axis {
  name: string;
  /** By design; "" where it has none. */
  values: string[];
  differs: boolean;
  /** What most designs have, of several the first; null where no two agree. */
  common: string | null;
}

/** In the order in which they come up. */
export function axes(designs: readonly DesignData[]): Axis[] {
  const names = [...new Set(designs.flatMap((design) => Object.keys(design.axes)))];
  return names.map((name) => {
    const values = designs.map((design) => String(design.axes[name] ?? ''));
    const times = (value: string): number => values.filter((other) => other === value).length;
    const common = values.reduce((best: string | null, value) => (times(value) > (best === null ? 1 : times(best)) ? value : best), null);
    return { name, values, differs: values.some((value) => value !== values[0]), common };
  });
}
