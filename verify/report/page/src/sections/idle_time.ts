// Why cores ran no bodies, and how busy control cores were.
import { breakdown } from '../charts/breakdown';
import { body, figure, row, table } from '../charts/table';
import type { Design, Run } from '../decode';
import { element } from '../dom';
import { idleCause } from '../figures/causes';
import { percent } from '../format';
import type { Section } from '../section';
import { roleNames } from '../timeline/rows';
import { accounts } from './accounts';

export const section: Section = {
  id: 'idle-time',
  title: 'Idle time',
  render(host, context) {
    const { designs } = context.scenario;
    const run = designs[0]?.predicted.data;
    host.append(
      element('p', {}, 'What the compute cores’ time went to: the number of all compute cores of the machine times the length of the run.'),
    );
    breakdown(host, context, {
      caption: 'Core time by cause, and its share of the core time of the run; the shares of a run add up to 100 %.',
      unit: 'core·µs',
      total: 'core time',
      causes: ['busy', ...(run?.idle_causes ?? []), 'given'].map(idleCause),
      accounts: accounts(designs, ({ data }) => [data.busy_ns, ...data.idle_ns, data.given_ns]),
    });
    const controls = controlRows(designs);
    if (controls.length === 0) return;
    const heads = [{ text: 'Run' }, { text: 'Control core' }, { text: 'busy', unit: 'of the run’s length', number: true }];
    host.append(table('Control cores: the share of the run’s length in which each works. They are no compute cores.', heads, body(...controls)));
  },
};

function controlRows(designs: readonly Design[]): HTMLTableRowElement[] {
  const of = (design: Design, run: Run, whose: string): HTMLTableRowElement[] => {
    const names = roleNames(run);
    return run.data.control_busy_shares.map((share, i) =>
      row(`${design.data.name} ${whose}`, element('td', {}, names[i] ?? `control core ${i}`), figure(percent(share))),
    );
  };
  return designs.flatMap((design) => [
    ...of(design, design.predicted, 'predicted'),
    ...(design.measured ? of(design, design.measured, 'measured') : []),
  ]);
}
