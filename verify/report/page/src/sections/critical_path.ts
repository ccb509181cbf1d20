import { breakdown } from '../charts/breakdown';
import { body, figure, row, table, words } from '../charts/table';
import type { Context } from '../context';
import type { Run } from '../decode';
import { element } from '../dom';
import { pathCause } from '../figures/causes';
import { longestSegments } from '../figures/path';
import { microseconds, percent } from '../format';
import type { Section } from '../section';
import { accounts } from './accounts';

const shownSegments = 12;

export const section: Section = {
  id: 'critical-path',
  title: 'Critical path',
  render(host, context) {
    const { designs } = context.scenario;
    const causes = designs[0]?.predicted.data.path_causes ?? [];
    host.append(element('p', {}, 'The observed critical path from the start to the last completion: what each stretch of it waited for.'));
    breakdown(host, context, {
      caption: 'Critical path by cause: time on it, and its share of the run.',
      unit: 'µs',
      total: 'whole path',
      causes: causes.map(pathCause),
      accounts: accounts(designs, (run) => run.data.path_ns),
    });
    const longest = element('div');
    const draw = (): void => longest.replaceChildren(...longestTables(context));
    draw();
    context.on('design', draw);
    host.append(longest);
  },
};

function longestTables(context: Context): Node[] {
  const { design } = context;
  const tables: Node[] = [element('h3', {}, `Longest stretches under ${design.data.name}`)];
  tables.push(longestTable(context, design.predicted, 'Predicted'));
  if (design.measured) tables.push(longestTable(context, design.measured, 'Measured'));
  return [...tables.slice(0, 1), element('div', { class: 'beside' }, ...tables.slice(1))];
}

function longestTable(context: Context, run: Run, whose: string): HTMLElement {
  const { names } = context.scenario.graph;
  const segments = longestSegments(run.path, shownSegments);
  if (segments.length === 0) return element('p', { class: 'quiet' }, `${whose}: no path was observed.`);
  const rows = segments.map((segment) => {
    const cause = pathCause(run.data.path_causes[segment.cause] ?? '', segment.cause);
    const name = names[segment.task];
    const select = (): void => context.selectTask(segment.task);
    const link = name === undefined ? 'no task' : element('button', { type: 'button', class: 'link', click: select }, name);
    const length = segment.end - segment.begin;
    const made = row(
      link,
      words(element('span', { class: `swatch ${cause.fill}` }), cause.label),
      figure(microseconds(segment.begin)),
      figure(microseconds(length)),
      figure(run.makespan > 0 ? percent(length / run.makespan) : ''),
    );
    return made;
  });
  const heads = [
    { text: 'Task' },
    { text: 'Cause' },
    { text: 'from', unit: 'µs', number: true },
    { text: 'for', unit: 'µs', number: true },
    { text: 'of the run', number: true },
  ];
  const more = run.path.end.length > segments.length ? `, of ${run.path.end.length} stretches` : '';
  return table(`${whose}: the ${segments.length} longest${more}. A task’s name selects it in the timelines.`, heads, body(...rows));
}
