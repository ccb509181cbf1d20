import { breakdown } from '../charts/breakdown';
import { element } from '../dom';
import { idleCause } from '../figures/causes';
import type { Section } from '../section';
import { accounts } from './accounts';

export const section: Section = {
  id: 'idle-time',
  title: 'Idle time',
  render(host, context) {
    const { designs } = context.scenario;
    const run = designs[0]?.predicted.data;
    host.append(element('p', {}, 'What the compute cores’ time went to: their number times the length of the run.'));
    breakdown(host, context, {
      caption: 'Core time by cause, and its share of the run’s core time.',
      unit: 'core·µs',
      total: 'core time',
      causes: ['busy', ...(run?.idle_causes ?? [])].map(idleCause),
      accounts: accounts(designs, ({ data }) => [data.busy_ns, ...data.idle_ns]),
    });
  },
};
