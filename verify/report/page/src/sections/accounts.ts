// The accounts of all runs of a scenario, predicted and measured, for a breakdown.
import type { Account } from '../charts/breakdown';
import type { Design, Run } from '../decode';

export function accounts(designs: readonly Design[], parts: (run: Run) => number[]): Account[] {
  return designs.flatMap((design) => {
    const predicted = { design: design.data.name, measured: false, parts: parts(design.predicted) };
    if (!design.measured) return [predicted];
    return [predicted, { design: design.data.name, measured: true, parts: parts(design.measured) }];
  });
}
