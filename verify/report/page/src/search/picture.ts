// Canvases of all points: parallel coordinates, and the makespan over the cost with the Pareto front.
import type { SearchData } from '../data';
import { element } from '../dom';
import { count, duration } from '../format';
import type { Theme } from '../theme';
import { shortNames } from './points';

const height = 300;
const font = '12px system-ui, sans-serif';

export interface Picture {
  figure: HTMLElement;
  /** `shown` are the points that the filters let through. */
  draw: (shown: readonly number[]) => void;
}

interface Canvas {
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  width: number;
}

function clear(canvas: HTMLCanvasElement): Canvas {
  const width = canvas.parentElement?.clientWidth || 900;
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = font;
  return { canvas, context, width };
}

function pictureOf(caption: string, label: string, paint: (canvas: HTMLCanvasElement, shown: readonly number[]) => void): Picture {
  const canvas = element('canvas', { role: 'img', 'aria-label': label });
  let last: readonly number[] = [];
  const draw = (shown: readonly number[]): void => {
    last = shown;
    paint(canvas, shown);
  };
  addEventListener('resize', () => draw(last));
  return { figure: element('figure', { class: 'wide' }, element('figcaption', {}, caption), element('div', {}, canvas)), draw };
}

/** 0 to 1 over the logarithms of the makespans. */
function level(data: SearchData): (i: number) => number {
  const logs = data.points.makespan_ns.map((ns) => Math.log(Math.max(1, ns)));
  const low = logs.reduce((a, b) => Math.min(a, b), Infinity);
  const high = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  return (i) => (high > low ? (logs[i]! - low) / (high - low) : 0);
}

/** A line a point from axis to axis, slow ones first, so that the fast ones lie above. */
export function parallel(data: SearchData, theme: Theme): Picture {
  const names = ['design', ...shortNames(data), 'makespan'];
  const of = level(data);
  const share = (axis: number, i: number): number => {
    if (axis === names.length - 1) return of(i);
    const values = axis === 0 ? data.designs.length : data.axes[axis - 1]!.values.length;
    const value = axis === 0 ? data.points.design[i]! : data.points.values[axis - 1]![i]!;
    return value < 0 ? -1 : values > 1 ? value / (values - 1) : 0.5;
  };
  return pictureOf(
    'Each line is a point; the fastest are drawn last, in colour. The makespan rises upwards.',
    `Parallel coordinates of ${count(data.points.number.length)} points over ${names.join(', ')}`,
    (canvas, shown) => {
      const { context, width } = clear(canvas);
      const [left, right, top, bottom] = [40, 60, 24, 22];
      const x = (axis: number): number => left + ((width - left - right) * axis) / (names.length - 1);
      const y = (part: number): number => height - bottom - part * (height - top - bottom);
      const fast = Math.max(1, Math.ceil(shown.length / 50));
      const byTime = [...shown].sort((a, b) => data.points.makespan_ns[b]! - data.points.makespan_ns[a]!);
      const line = (points: readonly number[], colour: string, alpha: number): void => {
        context.strokeStyle = colour;
        context.globalAlpha = alpha;
        context.beginPath();
        for (const i of points) {
          let isFirst = true;
          for (let axis = 0; axis < names.length; ++axis) {
            const part = share(axis, i);
            if (part < 0) continue;
            if (isFirst) context.moveTo(x(axis), y(part));
            else context.lineTo(x(axis), y(part));
            isFirst = false;
          }
        }
        context.stroke();
        context.globalAlpha = 1;
      };
      line(byTime.slice(0, -fast), theme.color('--quiet'), Math.min(0.5, Math.max(0.03, 60 / (shown.length + 1))));
      line(byTime.slice(-fast), theme.color('--series-1'), 0.8);
      context.fillStyle = theme.color('--text');
      context.strokeStyle = theme.color('--line');
      context.textAlign = 'center';
      names.forEach((name, axis) => {
        context.beginPath();
        context.moveTo(x(axis), top);
        context.lineTo(x(axis), height - bottom);
        context.stroke();
        context.fillText(name, x(axis), height - 6, (width - left - right) / (names.length - 1) - 4);
      });
      context.textAlign = 'left';
      names.forEach((_, axis) => {
        const values = axis === names.length - 1 ? [] : axis === 0 ? data.designs : data.axes[axis - 1]!.values;
        const room = (width - left - right) / (names.length - 1) - 8;
        values.forEach((value, at) => {
          if (values.length > 12 && at % Math.ceil(values.length / 12) !== 0) return;
          context.fillText(value, x(axis) + 4, y(values.length > 1 ? at / (values.length - 1) : 0.5) - 2, room);
        });
      });
    },
  );
}

/** A mark a point; those that nothing beats at their cost are joined. */
export function front(data: SearchData, theme: Theme): Picture {
  const { cost, makespan_ns: makespans, front: onFront } = data.points;
  const of = level(data);
  const [least, most] = [cost.reduce((a, b) => Math.min(a, b), Infinity), cost.reduce((a, b) => Math.max(a, b), -Infinity)];
  return pictureOf(
    `Makespan, on a logarithmic scale, over ${data.cost}; the line joins the points that are slower than none of at most their cost.`,
    `Makespan over ${data.cost} of ${count(makespans.length)} points`,
    (canvas, shown) => {
      const { context, width } = clear(canvas);
      const [left, right, top, bottom] = [90, 20, 16, 34];
      const x = (i: number): number => left + (most > least ? (cost[i]! - least) / (most - least) : 0.5) * (width - left - right);
      const y = (i: number): number => height - bottom - of(i) * (height - top - bottom);
      context.fillStyle = theme.color('--quiet');
      context.globalAlpha = 0.5;
      for (const i of shown) context.fillRect(x(i) - 1.5, y(i) - 1.5, 3, 3);
      context.globalAlpha = 1;
      const best = shown.filter((i) => onFront[i] === 1).sort((a, b) => cost[a]! - cost[b]!);
      context.strokeStyle = context.fillStyle = theme.color('--series-6');
      context.beginPath();
      best.forEach((i, at) => (at === 0 ? context.moveTo(x(i), y(i)) : context.lineTo(x(i), y(i))));
      context.stroke();
      for (const i of best) context.fillRect(x(i) - 3, y(i) - 3, 6, 6);
      context.fillStyle = theme.color('--text');
      context.textAlign = 'right';
      const [low, high] = [makespans.reduce((a, b) => Math.min(a, b), Infinity), makespans.reduce((a, b) => Math.max(a, b), 0)];
      context.fillText(duration(low), left - 8, height - bottom);
      context.fillText(duration(high), left - 8, top + 8);
      context.textAlign = 'left';
      context.fillText(String(least), left, height - bottom + 16);
      context.textAlign = 'right';
      context.fillText(String(most), width - right, height - bottom + 16);
      context.textAlign = 'center';
      context.fillText(data.cost, (left + width - right) / 2, height - 4);
    },
  );
}
