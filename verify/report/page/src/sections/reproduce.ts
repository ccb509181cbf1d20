// Graph, seed, version, and the commands that make the page and its measurements again.
import { body, row, table } from '../charts/table';
import type { Context } from '../context';
import { element } from '../dom';
import { count } from '../format';
import type { Section } from '../section';
import './sections.css';

export const section: Section = {
  id: 'reproduce',
  title: 'Reproduce',
  render(host, context) {
    const { scenario, report } = context;
    const { data, graph } = scenario;
    const facts: [string, Node | string][] = [
      ['Scenario', data.name],
      ['Source', data.source],
      ['Tasks', count(graph.size)],
      ['Edges', count(graph.edgeCount)],
      ['Kernels', kernels(context)],
      ['Graph hash', element('code', {}, data.graph.hash)],
      ['Seed', element('code', {}, String(data.seed))],
      ['Random', data.random.length > 0 ? data.random.join(', ') : 'nothing'],
      ['Simulated runs', `${count(data.runs)} a design`],
      ['Version', report.provenance.version],
      ['Commit', element('code', {}, report.provenance.commit || 'unknown')],
    ];
    host.append(
      table(
        'The graph and what was run.',
        [{ text: 'What' }, { text: 'Value' }],
        body(...facts.map(([name, value]) => row(name, element('td', {}, value)))),
      ),
    );
    host.append(command('This page', report.provenance.command));
    const seen = new Set<string>();
    for (const { data: design } of scenario.designs) {
      const { measured } = design;
      if (!measured || seen.has(measured.command)) continue;
      seen.add(measured.command);
      host.append(
        command(
          `Measurement of ${design.name}: ${measured.device}, driver ${measured.driver}, ${measured.date}, commit ${measured.commit}`,
          measured.command,
        ),
      );
    }
  },
};

/** Each kernel and how many tasks run it, the most frequent first. */
function kernels(context: Context): string {
  const { kernels: names, kernel } = context.scenario.data.graph;
  const counts = new Array<number>(names.length).fill(0);
  for (const which of kernel) ++counts[which]!;
  const order = names.map((_, i) => i).sort((a, b) => counts[b]! - counts[a]! || a - b);
  return order.map((i) => `${names[i]} × ${count(counts[i]!)}`).join(', ');
}

function command(title: string, text: string): HTMLElement {
  const said = element('span', { role: 'status', class: 'quiet' });
  const code = element('code', { tabindex: 0 }, text);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = 'copied';
    } catch {
      getSelection()?.selectAllChildren(code);
      said.textContent = 'selected: copy it with the keyboard';
    }
  };
  const button = element(
    'button',
    { type: 'button', class: 'screen', click: () => void copy(), 'aria-label': `Copy the command: ${title}` },
    'Copy',
  );
  return element('div', { class: 'command' }, element('p', {}, title), element('pre', {}, code), button, said);
}
