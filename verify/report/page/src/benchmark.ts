// The page of a benchmark: its curves, a panel each, in place of scenarios.
import { curvePanel } from './charts/curve_panel';
import type { CurvesData, Provenance } from './data';
import { element } from './dom';
import type { Theme } from './theme';

/** Draws the page; `onTheme` takes what draws the colours anew. */
export function drawBenchmark(
  title: string,
  provenance: Provenance,
  curves: CurvesData,
  theme: Theme,
  onTheme: (draw: () => void) => void,
): void {
  document.title = title;
  const toggle = element('button', { type: 'button', class: 'theme', click: () => theme.toggle() });
  const panels = curves.panels.map((panel) => curvePanel(theme, curves, panel));
  const keys = legend(curves);
  const colour = (): void => {
    toggle.textContent = theme.name === 'dark' ? 'Light colours' : 'Dark colours';
    keys.forEach(({ swatch, style }) => (swatch.style.backgroundColor = theme.series(style)));
    panels.forEach((panel) => panel.redraw());
  };
  colour();
  onTheme(colour);
  document.body.replaceChildren(
    element('header', { class: 'page' }, element('h1', {}, title), toggle),
    element(
      'main',
      { id: 'main' },
      element('p', {}, `${curves.y_label} over ${curves.x_label}. Solid: measured; dashed: predicted.`),
      element('ul', { class: 'fills' }, ...keys.map(({ item }) => item)),
      element('div', { class: 'panels' }, ...panels.map(({ figure }) => figure)),
      element('p', { class: 'quiet' }, `Made by tasktwin ${provenance.version} (${provenance.commit}): `, element('code', {}, provenance.command)),
    ),
  );
  document.documentElement.dataset.state = 'ready';
}

interface Key {
  item: HTMLElement;
  swatch: HTMLElement;
  style: number;
}

/** Each style once, under the name of what was measured, or else predicted. */
function legend(curves: CurvesData): Key[] {
  const names = new Map<number, string>();
  for (const predicted of [false, true]) {
    for (const curve of curves.panels.flatMap((panel) => panel.curves)) {
      if (curve.predicted === predicted && !names.has(curve.style)) names.set(curve.style, curve.name);
    }
  }
  return [...names].sort(([a], [b]) => a - b).map(([style, name]) => {
    const swatch = element('span', { class: 'swatch' });
    return { item: element('li', {}, swatch, name), swatch, style };
  });
}
