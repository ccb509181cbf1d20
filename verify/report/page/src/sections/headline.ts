// The verdict on a scenario in a sentence or two.
import type { ScenarioData } from '../data';
import { byMeasurement, byPrediction, over } from '../figures/standings';
import { duration, percent } from '../format';

export function headline(scenario: ScenarioData): string {
  return [predicted(scenario), measured(scenario)].filter((sentence) => sentence !== '').join(' ');
}

function predicted({ designs, predicted_winner, what_if }: ScenarioData): string {
  const order = byPrediction(designs).map((i) => designs[i]!);
  const [first, second] = order;
  if (!first) return '';
  const base = what_if?.baseline;
  if (base) {
    const change = over(first.mean_ns, base.makespan_ns) ?? 0;
    const than = `${percent(Math.abs(change))} ${change > 0 ? 'more' : 'less'} than ${base.design}, the program as it is (${duration(base.makespan_ns)})`;
    return `${first.name} is predicted to take ${duration(first.mean_ns)}, ${than}.`;
  }
  if (!second) return `${first.name} alone: ${duration(first.mean_ns)} predicted.`;
  if (predicted_winner === null) {
    return `No design is predicted to beat each other beyond noise; ${first.name} has the lowest mean, ${duration(first.mean_ns)}.`;
  }
  const next = order.find((design) => design.name !== predicted_winner)!;
  const winner = order.find((design) => design.name === predicted_winner) ?? first;
  const less = over(winner.mean_ns, next.mean_ns);
  const by = less === null ? '' : `, ${percent(-less)} less than ${next.name}, which comes next`;
  return `${winner.name} is predicted to win: ${duration(winner.mean_ns)}${by}.`;
}

function measured({ designs, predicted_winner, measured_winner, rerun }: ScenarioData): string {
  const order = byMeasurement(designs).map((i) => designs[i]!);
  const [first, second] = order;
  if (!first) return rerun ? 'No design was measured; a rerun of the program was, see below.' : 'Nothing was measured.';
  if (!second)
    return designs.length > 1
      ? `Only ${first.name} was measured: ${duration(first.measured!.median_ns)}.`
      : `Measured: ${duration(first.measured!.median_ns)}.`;
  const which = order.length < designs.length ? `Of the ${order.length} that were measured,` : 'Measured,';
  if (measured_winner === null) return `${which} none is the fastest beyond noise.`;
  const median = duration(order.find((design) => design.name === measured_winner)!.measured!.median_ns);
  if (measured_winner === predicted_winner) return `${which} it wins as well: ${median}.`;
  return `${which} ${measured_winner} wins: ${median}.`;
}
