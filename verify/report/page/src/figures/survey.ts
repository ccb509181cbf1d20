// One quantity over all runs of a scenario.
import type { Design, Run } from '../decode';
import type { Quantity, Summary } from './quantities';

export interface Survey {
  quantity: Quantity;
  /** By design: predicted, then measured; null where the run did not observe it. */
  summaries: [Summary | null, Summary | null][];
  /** The highest mean over a bin by the unit of a run, of all runs each over its own length. */
  tops: Map<string, number>;
}

/** Predicted, and measured where there is one. */
export const runs = (design: Design): Run[] => (design.measured ? [design.predicted, design.measured] : [design.predicted]);

export function survey(quantity: Quantity, designs: readonly Design[], bins: number): Survey {
  const tops = new Map<string, number>();
  const summaries = designs.map((design): [Summary | null, Summary | null] => {
    const [predicted, measured] = [design.predicted, design.measured].map((run) =>
      run && quantity.observed(run) ? quantity.summary(run) : null,
    );
    for (const run of runs(design)) {
      if (!quantity.observed(run)) continue;
      const unit = quantity.unit(run);
      for (const line of quantity.lines(run, run.makespan, bins)) tops.set(unit, Math.max(tops.get(unit) ?? 0, ...line.values));
    }
    return [predicted ?? null, measured ?? null];
  });
  return { quantity, summaries, tops };
}
