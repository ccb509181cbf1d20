// Every axis of every design, side by side.
import { fold } from '../charts/fold';
import { body, inColumns, row, table } from '../charts/table';
import type { DesignData } from '../data';
import { element } from '../dom';
import { axes, type Axis } from '../figures/standings';
import type { Section } from '../section';
import './sections.css';

export const section: Section = {
  id: 'designs',
  title: 'Designs in full',
  render(host, context) {
    const { designs } = context.scenario.data;
    const all = axes(designs);
    const differing = all.filter((axis) => axis.differs);
    if (designs.length < 2) {
      host.append(...axisTables(`All ${all.length} axes.`, designs, all));
      return;
    }
    if (differing.length === 0) host.append(element('p', {}, 'The designs differ in no axis.'));
    else
      host.append(
        ...axisTables(
          `${differing.length} of ${all.length} axes differ; in bold is what most of the designs do not have.`,
          designs,
          differing,
        ),
      );
    const alike = all.filter((axis) => !axis.differs);
    host.append(
      fold(context, `The ${alike.length} axes in which they agree`, ...axisTables('In these the designs agree.', designs, alike)),
    );
  },
};

function axisTables(caption: string, designs: readonly DesignData[], shown: readonly Axis[]): HTMLElement[] {
  return inColumns(designs).map(({ from, items, which }) => {
    const cells = (axis: Axis): HTMLTableCellElement[] => axis.values.slice(from, from + items.length).map((value) => cell(axis, value));
    const heads = [{ text: 'Axis' }, ...items.map((design) => ({ text: design.name }))];
    return table(caption + which, heads, body(...shown.map((axis) => row(axis.name, ...cells(axis)))));
  });
}

function cell(axis: Axis, value: string): HTMLTableCellElement {
  return element('td', {}, !axis.differs || axis.common === value ? value : element('strong', {}, value));
}
