// Names in spans that have room for some of them, and the hatching of colours that are used a second time.
import type { Theme } from '../theme';
import { gutter, type Layout, type Pane } from './layout';
import type { Look, PaneColours } from './look';
import type { Packed } from './raster';
import { firstAbove } from './spans';
import type { View } from './view';

/** Pixels: lower bars have no names. */
export const leastForNames = 10;
/** Pixels: narrower spans have none. */
const leastWidth = 24;

export const font = (theme: Theme, size: number, weight = 400): string => `${weight} ${size}px ${theme.color('--text-font')}`;

/** Black or white, whichever is easier to read on `colour`: their contrasts meet at a relative luminance of 0.179. */
export function inkOn(colour: Packed): string {
  const linear = (shift: number): number => {
    const value = ((colour >>> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(16) > 0.179 ? '#000000' : '#ffffff';
}

export function drawNames(
  context: CanvasRenderingContext2D,
  layout: Layout,
  view: View,
  pane: Pane,
  look: Look,
  colours: PaneColours,
): void {
  const perPixel = view.length / layout.plotWidth;
  const inks = new Map<Packed, string>();
  const ink = (colour: Packed): string => inks.get(colour) ?? (inks.set(colour, inkOn(colour)), inks.get(colour)!);
  context.font = font(look.theme, Math.min(11, layout.barHeight - 1));
  context.textBaseline = 'middle';
  context.save();
  context.beginPath();
  context.rect(gutter, pane.rowsTop, layout.plotWidth, pane.rowsHeight);
  context.clip();
  pane.rows.forEach((row, index) => {
    const top = layout.rowTop(pane, index);
    const [spans] = row.lanes;
    if (!spans || row.lanes.length > 1 || top + layout.rowHeight < pane.rowsTop || top > pane.rowsTop + pane.rowsHeight) return;
    for (let i = firstAbove(spans.latest, view.begin); i < spans.begin.length && spans.begin[i]! < view.end; ++i) {
      if (spans.end[i]! - spans.begin[i]! < leastWidth * perPixel) continue;
      const what = spans.what[i]!;
      const left = Math.max(gutter, gutter + (spans.begin[i]! - view.begin) / perPixel);
      const right = Math.min(layout.width, gutter + (spans.end[i]! - view.begin) / perPixel);
      if (!row.control && look.hatched(what)) hatch(context, left, top, right - left, layout.barHeight, look.theme);
      context.fillStyle = ink((row.control ? colours.steps : colours.tasks)[what]!);
      drawName(context, row.control ? pane.run.data.step_kinds[what]! : look.names[what]!, left, right, top + layout.barHeight / 2);
    }
  });
  context.restore();
}

function drawName(context: CanvasRenderingContext2D, name: string, left: number, right: number, y: number): void {
  const room = right - left - 8;
  const width = context.measureText(name).width;
  const fits = width <= room ? name.length : Math.floor((room / width) * name.length) - 1;
  if (fits < Math.min(6, name.length)) return;
  context.fillText(fits < name.length ? `${name.slice(0, fits)}…` : name, left + 4, y);
}

function hatch(context: CanvasRenderingContext2D, left: number, top: number, width: number, height: number, theme: Theme): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = theme.color('--ground');
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - height; x < left + width; x += 6) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}
