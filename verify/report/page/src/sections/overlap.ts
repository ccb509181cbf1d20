// How copies and kernels lie over each other.
import { breakdown } from '../charts/breakdown';
import type { Scenario, Run } from '../decode';
import { element } from '../dom';
import type { Cause } from '../figures/causes';
import { overlap } from '../figures/overlap';
import { taskSpans } from '../figures/spans';
import type { Section } from '../section';
import { accounts } from './accounts';

const states: Cause[] = [
  { label: 'both', meaning: 'at least one copy and one kernel run', fill: 'fill-3' },
  { label: 'kernels only', meaning: 'kernels run and no copy does', fill: 'fill-1' },
  { label: 'copies only', meaning: 'copies run and no kernel does', fill: 'fill-2 up' },
  { label: 'neither', meaning: 'neither runs', fill: 'fill-8' },
];

function parts(scenario: Scenario, run: Run): number[] {
  const { operations, operation } = scenario.data.graph;
  const copies = taskSpans(run, operation, (which) => operations[which]!.startsWith('copy_'));
  const kernels = taskSpans(run, operation, (which) => operations[which] === 'kernel');
  const { both, kernels_only, copies_only, neither } = overlap(copies, kernels, run.makespan);
  return [both, kernels_only, copies_only, neither];
}

export const section: Section = {
  id: 'overlap',
  title: 'Overlap of copies and compute',
  render(host, context) {
    const { scenario } = context;
    if (!scenario.data.graph.operations.some((word) => word.startsWith('copy_'))) return false;
    host.append(element('p', {}, 'How long copies and kernels ran alone, together, or not at all.'));
    breakdown(host, context, {
      caption: 'Time with copies and kernels running.',
      unit: 'µs',
      total: 'whole run',
      causes: states,
      accounts: accounts(scenario.designs, (run) => parts(scenario, run)),
    });
    return undefined;
  },
};
