// A lane of spans as a line of pixels. However many spans there are, a frame costs a look at each span in sight and a write to each pixel;
// a pixel that several spans share gets their mean colour by the time that each takes of it.
import { firstAbove, type Spans } from './spans';

/** A pixel as canvases have it in memory on the little-endian machines that browsers run on. */
export type Packed = number;

export function packed(red: number, green: number, blue: number): Packed {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** `share` of a, the rest of b. */
export function mixed(a: Packed, b: Packed, share: number): Packed {
  const part = (shift: number): number => Math.round(((a >>> shift) & 255) * share + ((b >>> shift) & 255) * (1 - share));
  return packed(part(0), part(8), part(16));
}

/** What so little as a nanosecond within a pixel must show of itself, or nobody would see it. */
const leastCover = 0.3;

/**
 * Paints the spans seen in [begin, begin + line.length × perPixel) ns over `line`. `colours` is by what a span stands for; the time until
 * a span's core is free again is paler.
 */
export function paintLane(line: Uint32Array, begin: number, perPixel: number, spans: Spans, colours: Uint32Array, ground: Packed): void {
  const width = line.length;
  let pixel = -1;
  let cover = 0;
  let red = 0;
  let green = 0;
  let blue = 0;
  const flush = (): void => {
    if (pixel < 0 || cover === 0) return;
    const colour = packed(Math.round(red / cover), Math.round(green / cover), Math.round(blue / cover));
    line[pixel] = mixed(colour, line[pixel]!, Math.min(1, Math.max(leastCover, cover)));
    cover = red = green = blue = 0;
  };
  const add = (at: number, share: number, colour: Packed): void => {
    if (at !== pixel) {
      flush();
      pixel = at;
    }
    cover += share;
    red += share * (colour & 255);
    green += share * ((colour >>> 8) & 255);
    blue += share * ((colour >>> 16) & 255);
  };
  const paint = (from: number, to: number, colour: Packed): void => {
    const low = Math.max(0, (from - begin) / perPixel);
    const high = Math.min(width, (to - begin) / perPixel);
    if (high < low || low >= width) return;
    const first = Math.floor(low);
    const last = Math.floor(high);
    if (first === last || high - low < 1e-9) {
      add(Math.min(first, width - 1), Math.max(high - low, 1e-6), colour);
      return;
    }
    add(first, first + 1 - low, colour);
    if (last > first + 1) {
      flush();
      line.fill(colour, first + 1, last);
    }
    if (last < width && high > last) add(last, high - last, colour);
  };

  const end = begin + width * perPixel;
  for (let i = firstAbove(spans.latest, begin); i < spans.begin.length && spans.begin[i]! < end; ++i) {
    if (spans.hold[i]! < begin) continue;
    const colour = colours[spans.what[i]!]!;
    paint(spans.begin[i]!, spans.end[i]!, colour);
    if (spans.hold[i]! - spans.end[i]! >= perPixel) paint(spans.end[i]!, spans.hold[i]!, mixed(colour, ground, 0.45));
  }
  flush();
}
