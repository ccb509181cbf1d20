// What to change of a captured program, and what that would bring.
import { fold } from '../charts/fold';
import { body, figure, row, table, words } from '../charts/table';
import type { Context } from '../context';
import type { ProposalData } from '../data';
import { element } from '../dom';
import { count, microseconds, signedPercent } from '../format';
import type { Section } from '../section';

export const section: Section = {
  id: 'advice',
  title: 'What to change',
  render(host, context) {
    const { advice } = context.scenario.data;
    if (advice === null) return false;
    const { makespan_ns, host_ns, bound, order, proposals, tried } = advice;
    const whole =
      `As it was captured the program takes ${microseconds(makespan_ns)} µs, ${microseconds(host_ns)} µs of it the host’s; ` +
      `its work cannot take less than ${microseconds(bound.bound_ns)} µs (${bound.name}).`;
    host.append(element('p', {}, order ? `${whole} ${order}` : whole));
    const changes = `${count(tried)} changes were simulated`;
    if (proposals.length === 0) {
      host.append(element('p', {}, `${changes}; none brings 1 % or more.`));
    } else {
      const heads = [
        { text: 'Change' },
        { text: 'Takes', unit: 'µs', number: true },
        { text: 'Difference', number: true },
        { text: 'Why, and how' },
      ];
      host.append(table(`${changes}; these bring 1 % or more.`, heads, body(...proposals.map((proposal) => proposalRow(context, proposal)))));
    }
    for (const remark of advice.remarks) host.append(element('p', { class: 'quiet' }, remark));
    return undefined;
  },
};

function proposalRow(context: Context, { what, where, why, how, makespan_ns, change }: ProposalData): HTMLTableRowElement {
  const details = fold(
    context,
    where || 'Why, and how to try it',
    element(
      'ul',
      {},
      ...why.map((line) => element('li', {}, line)),
      ...how.map((line) => element('li', {}, element('code', {}, line))),
    ),
  );
  return row(what, figure(microseconds(makespan_ns)), figure(signedPercent(change)), words(details));
}
