// Histograms of how long dispatch, notification and publishing took.
import { histogramPanel } from '../charts/histogram_panel';
import { body, figure, row, table } from '../charts/table';
import type { Design } from '../decode';
import { element } from '../dom';
import { delays, delaysOf, type Delay } from '../figures/delays';
import { commonEdges, histogram, percentile, type Histogram } from '../figures/histogram';
import { count, duration } from '../format';
import type { Section } from '../section';

interface Sample {
  design: Design;
  measured: boolean;
  delay: Delay;
  /** Ascending; null where no task was observed. */
  values: Float64Array | null;
  histogram: Histogram | null;
}

export const section: Section = {
  id: 'delays',
  title: 'Dispatch and notification delays',
  render(host, context) {
    const { designs } = context.scenario;
    const samples = designs.flatMap((design) => delays.flatMap((delay) => samplesOf(design, delay)));
    if (samples.every((sample) => sample.values === null)) return false;
    for (const delay of delays) {
      const same = samples.filter((sample) => sample.delay === delay && sample.values);
      const edges = commonEdges(same.map((sample) => sample.values!));
      for (const sample of same) sample.histogram = histogram(sample.values!, edges);
    }
    const ways = delays.map((delay) => `${delay.name.toLowerCase()} is ${delay.meaning}`).join(', ');
    host.append(
      element('p', {}, `How many tasks waited how long: ${ways}. The axis of time is logarithmic, and the same for all designs.`),
      element(
        'p',
        { class: 'fills' },
        element('span', {}, element('span', { class: 'swatch predicted-bars' }), 'predicted'),
        designs.some((design) => design.measured) && element('span', {}, element('span', { class: 'key outline' }), 'measured'),
      ),
      ...designs.map((design) => drawDesign(design, samples)),
      percentiles(samples),
      ...(samples.some(early)
        ? [element('p', { class: 'quiet' }, 'A dispatch delay below 0: the task was handed over before its predecessors were done.')]
        : []),
    );
    return undefined;
  },
};

function samplesOf(design: Design, delay: Delay): Sample[] {
  return [design.predicted, design.measured].flatMap((run, which) => {
    if (!run) return [];
    const values = delaysOf(run.times, delay);
    return [{ design, measured: which === 1, delay, values: values.length > 0 ? values : null, histogram: null }];
  });
}

/** Whether tasks were handed over, or started, before what the delay counts from. */
const early = (sample: Sample): boolean => (sample.values?.[0] ?? 0) < 0;

const whose = (sample: Sample): string => (sample.measured ? 'measured' : 'predicted');

function drawDesign(design: Design, samples: readonly Sample[]): HTMLElement {
  const panels = element('div', { class: 'panels' });
  for (const delay of delays) {
    const [predicted, measured] = samples.filter((sample) => sample.design === design && sample.delay === delay);
    const title = `${delay.name}, ${delay.meaning}`;
    const said = [predicted, measured].flatMap((sample) => (sample ? [`${whose(sample)}: ${summary(sample)}`] : []));
    if (!predicted?.histogram && !measured?.histogram) {
      panels.append(element('p', { class: 'panel quiet' }, `${title}: not observed`));
      continue;
    }
    panels.append(
      histogramPanel({
        title,
        summary: said.join('; '),
        predicted: predicted?.histogram ?? null,
        measured: measured?.histogram ?? null,
        below_zero: samples.some((sample) => sample.delay === delay && early(sample)),
      }),
    );
  }
  return element('div', {}, element('h3', {}, design.data.name), panels);
}

function summary(sample: Sample): string {
  return sample.values
    ? `half within ${duration(percentile(sample.values, 0.5)!)}, 99 % within ${duration(percentile(sample.values, 0.99)!)}`
    : 'not observed';
}

function percentiles(samples: readonly Sample[]): HTMLElement {
  const heads = [{ text: 'Run' }, ...['Tasks', 'p50', 'p95', 'p99', 'Longest'].map((text) => ({ text, number: true }))];
  const bodies = delays.map((delay) => {
    const group = element('tr', {}, element('th', { scope: 'rowgroup', colspan: heads.length }, `${delay.name}, ${delay.meaning}`));
    return body(group, ...samples.filter((sample) => sample.delay === delay).map(percentileRow));
  });
  return table('Percentiles of the delays of those tasks of which both moments were observed.', heads, ...bodies);
}

function percentileRow(sample: Sample): HTMLTableRowElement {
  const { values } = sample;
  const name = `${sample.design.data.name} ${whose(sample)}`;
  if (!values) return row(name, element('td', { class: 'number', colspan: 5 }, 'not observed'));
  return row(name, figure(count(values.length)), ...[0.5, 0.95, 0.99, 1].map((p) => figure(duration(percentile(values, p)!))));
}
