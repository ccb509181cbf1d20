// A sentence for each pair of designs that differ beyond noise, and one on those that do not.
import { fold } from '../charts/fold';
import type { Context } from '../context';
import type { PairData, ScenarioData } from '../data';
import { element } from '../dom';
import { contradicted, separatedPairs } from '../figures/standings';

const shownAtOnce = 6;

export function pairSentences(context: Context, scenario: ScenarioData): HTMLElement[] {
  const separated = separatedPairs(scenario);
  const said: HTMLElement[] = [];
  if (separated.length > 0) said.push(list(context, scenario, separated.slice(0, shownAtOnce)));
  if (separated.length > shownAtOnce) {
    said.push(
      fold(context, `${separated.length - shownAtOnce} more pairs that differ`, list(context, scenario, separated.slice(shownAtOnce))),
    );
  }
  const alike = scenario.pairs.filter((pair) => !pair.separated);
  if (alike.length > 0) said.push(element('p', {}, together(alike, separated.length)));
  return said;
}

function list(context: Context, scenario: ScenarioData, pairs: readonly PairData[]): HTMLElement {
  return element('ul', { class: 'pairs' }, ...pairs.map((pair) => item(context, scenario, pair)));
}

function item(context: Context, scenario: ScenarioData, pair: PairData): HTMLElement {
  const made = element('li', {}, ended(pair.sentence));
  if (pair.measured_sentence) made.append(' ', capital(ended(pair.measured_sentence)));
  if (contradicted(pair, scenario.designs)) made.append(' ', element('strong', { class: 'against' }, 'Measured the other way round.'));
  if (pair.reasons.length > 0) {
    made.append(fold(context, 'Why', element('ul', {}, ...pair.reasons.map((reason) => element('li', {}, capital(ended(reason)))))));
  }
  return made;
}

function together(alike: readonly PairData[], others: number): string {
  const names = alike.map((pair) => `${pair.faster} and ${pair.slower}`);
  const whole = names.length > 8 ? `${names.slice(0, 8).join('; ')}; and ${names.length - 8} more pairs` : names.join('; ');
  return others > 0 ? `Not told apart by the prediction: ${whole}.` : `The prediction tells no two designs apart: ${whole}.`;
}

/** With a full stop, and figures that stay with their units. */
const ended = (sentence: string): string =>
  (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`).replace(/(\d) (?=(%|ns|µs|ms|s)(\W|$))/g, '$1\u202f');
const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
