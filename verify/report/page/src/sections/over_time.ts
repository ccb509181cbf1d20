// Queue, busy cores, busy control cores and memory over the time of each design's runs.
import { choice } from '../charts/choice';
import { seriesPanel, type Drawn, type Line, type Panel } from '../charts/series_panel';
import type { Design } from '../decode';
import { append, element } from '../dom';
import { binMiddles } from '../figures/bins';
import { quantities } from '../figures/quantities';
import { runs, survey, type Survey } from '../figures/survey';
import { count, decimal } from '../format';
import type { Section } from '../section';
import type { Theme } from '../theme';
import { summaryTable } from './over_time_table';
import './sections.css';

const bins = 240;

export const section: Section = {
  id: 'over-time',
  title: 'Over time',
  render(host, context) {
    const { designs } = context.scenario;
    const shown = quantities
      .map((quantity) => survey(quantity, designs, bins))
      .filter(({ summaries }) => summaries.some(([predicted, measured]) => predicted !== null || measured !== null));
    if (shown.length === 0) return false;
    const place = element('div');
    const lengths = designs.flatMap(runs).map((run) => run.makespan);
    let drawn: Drawn[] = [];
    const end = (): void => drawn.forEach((panel) => panel.end());
    const draw = (common: boolean): void => {
      end();
      drawn = [];
      place.replaceChildren(
        ...designs.map((design) => drawDesign(context.theme, design, shown, common ? Math.max(...lengths) : null, drawn)),
      );
    };
    context.on('theme', () => drawn.forEach((panel) => panel.redraw()));
    context.onEnd(end);
    const common = Math.max(...lengths) <= 3 * Math.min(...lengths);
    draw(common);
    const axes = [
      { id: 'common', label: 'the same time axis' },
      { id: 'own', label: 'its own' },
    ];
    append(
      host,
      element(
        'p',
        {},
        `Each line is the mean over ${bins} equal parts of the time axis. `,
        'The cursor is the same in all charts; in a chart that has the focus the arrow keys move it.',
      ),
      element(
        'p',
        { class: 'fills' },
        element('span', {}, element('span', { class: 'key' }), 'predicted'),
        designs.some((design) => design.measured) && element('span', {}, element('span', { class: 'key dashed' }), 'measured'),
      ),
      designs.length > 1 && choice('Each design has', axes, common ? 'common' : 'own', (id) => draw(id === 'common')),
      place,
      summaryTable(designs, shown),
    );
    return undefined;
  },
};

/** `common` null: as long as the longer of its runs. What is drawn is added to `drawn`. */
function drawDesign(theme: Theme, design: Design, shown: readonly Survey[], common: number | null, drawn: Drawn[]): HTMLElement {
  const panels = element('div', { class: 'panels' });
  const horizon = common ?? Math.max(...runs(design).map((run) => run.makespan));
  for (const { quantity, summaries, tops } of shown) {
    const lines: Line[] = [];
    const said: string[] = [];
    [design.predicted, design.measured].forEach((run, which) => {
      const summary = summaries[design.index]![which];
      if (!run || !summary) return;
      const whose = which === 0 ? 'predicted' : 'measured';
      const mean = decimal(summary.mean / quantity.scale, quantity.digits);
      said.push(`${whose} mean ${mean}, most ${decimal(summary.most / quantity.scale, quantity.most_digits)}`);
      for (const line of quantity.lines(run, horizon, bins)) lines.push(styled(line, which, whose));
    });
    if (lines.length === 0 || !(horizon > 0)) {
      panels.append(
        element(
          'p',
          { class: 'panel quiet' },
          `${quantity.name}: ${horizon > 0 ? quantity.missing(design.predicted) : 'the run took no time'}`,
        ),
      );
      continue;
    }
    const unit = quantity.unit(design.predicted);
    const all = quantity.outOf(design.predicted);
    const top = tops.get(unit) ?? 0;
    const title =
      all > 0
        ? `Busy ${unit}, of ${count(all)}`
        : `${quantity.name}, ${unit}${lines.some((line) => line.second) ? '; dotted: held by the allocator' : ''}`;
    const panel: Panel = {
      title,
      unit,
      scale: quantity.scale,
      digits: quantity.digits,
      time: binMiddles(horizon, bins),
      horizon,
      top,
      lines,
      summary: said.join('; '),
    };
    const made = seriesPanel(theme, panel, 'over-time');
    drawn.push(made);
    panels.append(made.figure);
  }
  return element('div', {}, element('h3', {}, design.data.name), panels);
}

function styled(line: { name: string; values: Float64Array }, which: number, whose: string): Line {
  const second = line.name === 'held';
  return {
    name: line.name ? `${whose}, ${line.name}` : whose,
    values: line.values,
    color: which === 0 ? (second ? '--series-5' : '--series-1') : second ? '--series-2' : '--series-6',
    second,
    dash: which === 0 ? (second ? [2, 3] : []) : second ? [7, 3, 2, 3] : [5, 3],
  };
}
