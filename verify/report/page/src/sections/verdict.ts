// Which design is fastest, predicted and measured, and by how much.
import { body, figure, row, table } from '../charts/table';
import type { Context } from '../context';
import type { DesignData, ScenarioData } from '../data';
import { element } from '../dom';
import { byPrediction } from '../figures/standings';
import { absent, count, decimal, duration, microseconds, signedPercent } from '../format';
import type { Section } from '../section';
import { headline } from './headline';
import { overview } from './overview';
import { pairSentences } from './pairs';
import './sections.css';

export const section: Section = {
  id: 'verdict',
  title: 'Verdict',
  render(host, context) {
    const { scenarios } = context.report;
    if (scenarios.length > 1) host.append(overview(context));
    for (const { data } of scenarios) host.append(scenarioVerdict(context, data, scenarios.length > 1));
  },
};

function scenarioVerdict(context: Context, scenario: ScenarioData, several: boolean): HTMLElement {
  const whole = element('article', { class: 'verdict' });
  if (several) whole.append(element('h3', {}, scenario.name));
  whole.append(element('p', { class: 'headline' }, headline(scenario)));
  if (scenario.what_if) {
    whole.append(element('p', {}, element('strong', {}, 'What if: '), scenario.what_if.changes.join('; ')));
    for (const sentence of scenario.what_if.sentences) whole.append(element('p', { class: 'quiet' }, sentence));
  }
  if (scenario.description) whole.append(element('p', { class: 'quiet' }, `${several ? '' : `${scenario.name}: `}${scenario.description}`));
  if (scenario.question) whole.append(element('p', {}, element('strong', {}, 'Question: '), scenario.question));
  if (scenario.finding) whole.append(element('p', {}, element('strong', {}, 'Finding: '), scenario.finding));
  whole.append(standings(scenario), ...notes(scenario), ...pairSentences(context, scenario));
  return whole;
}

function standings(scenario: ScenarioData): HTMLElement {
  const measured = scenario.designs.some((design) => design.measured !== null);
  const heads = [
    { text: 'Design' },
    { text: measured ? 'Predicted, measured' : 'Predicted', unit: 'bound as a line' },
    { text: 'Predicted', unit: scenario.runs > 1 ? 'mean and its 95 % interval, µs' : 'µs', number: true },
    { text: 'To the fastest', number: true },
    ...(measured
      ? [
          { text: 'Measured', unit: 'median and quartiles, µs', number: true },
          { text: 'Error', unit: 'of the prediction as verified, µs', number: true },
        ]
      : []),
    { text: 'Best bound', unit: 'µs', number: true },
    { text: 'To the bound', number: true },
  ];
  const scale = Math.max(...scenario.designs.flatMap((design) => [design.mean_ns, design.measured?.median_ns ?? 0]));
  const fastest = Math.min(...scenario.designs.map((design) => design.mean_ns));
  const rows = byPrediction(scenario.designs).map((i) => standing(scenario, scenario.designs[i]!, { fastest, scale, measured }));
  const bars = isFarOff({ fastest, scale }) ? ' The bars are logarithmic.' : '';
  return table(`Makespans of ${runs(scenario)} on ${scenario.machine.name}, the fastest predicted first.${bars}`, heads, body(...rows));
}

const runs = (scenario: ScenarioData): string =>
  scenario.runs > 1
    ? `${count(scenario.runs)} simulated runs a design`
    : `one simulated run a design (${scenario.random.length > 0 ? `of what the seed draws: ${scenario.random.join(', ')}` : 'nothing is random'})`;

function standing(
  scenario: ScenarioData,
  design: DesignData,
  among: { fastest: number; scale: number; measured: boolean },
): HTMLTableRowElement {
  const { measured } = design;
  const interval = design.interval_ns ? range(design.interval_ns) : scenario.runs > 1 ? 'all runs equal' : '';
  const measurement = measured
    ? [figure(element('strong', {}, microseconds(measured.median_ns)), range(measured.quartiles_ns)), figure(signedPercent(measured.error), microseconds(measured.verified_ns))]
    : [figure('not measured'), figure(absent)];
  return row(
    element(
      'span',
      {},
      `${design.name} `,
      scenario.predicted_winner === design.name && badge('predicted winner'),
      scenario.measured_winner === design.name && badge('measured winner'),
    ),
    element('td', { 'aria-hidden': 'true' }, spans(design, among)),
    figure(element('strong', {}, microseconds(design.mean_ns)), interval),
    figure(ratio(design.mean_ns, among.fastest)),
    ...(among.measured ? measurement : []),
    figure(design.bound_ns > 0 ? microseconds(design.bound_ns) : absent, design.bound_ns > 0 ? design.bound : ''),
    figure(ratio(design.predicted.makespan_ns, design.bound_ns)),
  );
}

const ratio = (of: number, to: number): string => (to > 0 ? `${decimal(of / to, 2)}\u202f×` : absent);
const range = ([low, high]: [number, number]): string => `${microseconds(low)} to ${microseconds(high)}`;

/** From there on bars are logarithmic: else all but the longest would be stumps. */
const farOff = 20;

/** Bars on one scale for all designs, which is logarithmic where the slowest is far off. */
function spans(design: DesignData, among: { fastest: number; scale: number }): HTMLElement {
  const { scale } = among;
  const low = among.fastest / 2;
  const logarithmic = isFarOff(among);
  const at = (ns: number): string => {
    if (scale <= 0) return '0%';
    return `${100 * (logarithmic ? Math.max(0.01, Math.log(ns / low) / Math.log(scale / low)) : ns / scale)}%`;
  };
  const bar = (ns: number, fill: string): HTMLElement => {
    const made = element('span', { class: fill });
    made.style.width = at(ns);
    return made;
  };
  const drawn = element(
    'div',
    { class: 'spans' },
    bar(design.mean_ns, 'fill-1'),
    design.measured && bar(design.measured.median_ns, 'fill-6 up'),
  );
  if (design.bound_ns > 0) {
    const bound = element('span', { class: 'bound' });
    bound.style.left = at(design.bound_ns);
    drawn.append(bound);
  }
  return drawn;
}

const isFarOff = ({ fastest, scale }: { fastest: number; scale: number }): boolean => fastest > 0 && scale / fastest > farOff;

const badge = (text: string): HTMLElement => element('span', { class: 'badge' }, text);

/** On what was measured, and why something was not. */
function notes(scenario: ScenarioData): HTMLElement[] {
  const said: string[] = [];
  const devices = new Set(
    scenario.designs.flatMap(({ measured }) => (measured ? [`${measured.device}, driver ${measured.driver}, ${measured.date}`] : [])),
  );
  if (devices.size > 0) {
    const sizes = new Set(scenario.designs.flatMap(({ measured }) => (measured ? [measured.makespans_ns.length] : [])));
    said.push(`Measured on ${[...devices].join('; ')}: ${[...sizes].join(' or ')} runs a design, without phase stamps.`);
    const stamped = scenario.designs.flatMap(({ name, measured }) => (measured ? [`${name} ${duration(measured.stamped_ns)}`] : []));
    const medians = stamped.length <= 6 ? `; such runs took, as a median, ${stamped.join(', ')}` : '';
    said.push(`The measured timelines and accounts below are of a run with phase stamps${medians}.`);
  }
  const paces = scenario.designs.flatMap(({ name, measured }) =>
    measured && Math.abs(measured.host_pace - 1) > 0.0005 ? [`${name} ${decimal(measured.host_pace, 3)}\u202f×`] : [],
  );
  if (devices.size > 0) {
    const pace = paces.length > 0 ? ` (${paces.join(', ')})` : '';
    said.push(
      `Errors are of what tasktwin verify predicts: at the pace that the host had when it was measured${pace}, and the median of several runs where chance decides something.`,
    );
  }
  const reasons = new Map<string, string[]>();
  for (const design of scenario.designs) {
    if (design.not_measured) reasons.set(design.not_measured, [...(reasons.get(design.not_measured) ?? []), design.name]);
    for (const doubt of design.measured?.doubts ?? []) said.push(`${design.name}: ${doubt}`);
  }
  for (const [reason, names] of reasons) said.push(`Not measured (${names.join(', ')}): ${reason}`);
  return said.map((text) => element('p', { class: 'quiet' }, text));
}
