// Pointer and keys over the timelines, as wishes.
import { axisHeight } from './layout';

export interface Wishes {
  /** Zooms to `factor` times as much time, about `x`; about the middle where x is null. */
  zoom(factor: number, x: number | null): void;
  /** Shows the time between two places. */
  zoomTo(from: number, to: number): void;
  /** Lays the ruler between two places. */
  measure(from: number, to: number): void;
  /** Lays the ruler over what is seen. */
  measureSeen(): void;
  /** By pixels: content moves with the pointer. */
  pan(dx: number, dy: number): void;
  /** To the begin or end of the axis, or the whole of it. */
  go(where: 'begin' | 'end' | 'all'): void;
  rowHeight(step: 1 | -1): void;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  hit(step: 1 | -1): void;
  /** The selected task's neighbour on its core. */
  neighbour(step: 1 | -1): void;
  /** The task under the pointer, the search hit or what is in the middle. */
  choose(): void;
  clear(): void;
  search(): void;
}

const keyStep = 80;

function keys(wishes: Wishes): Record<string, (event: KeyboardEvent) => void> {
  return {
    ArrowLeft: (event) => (event.shiftKey ? wishes.neighbour(-1) : wishes.pan(keyStep, 0)),
    ArrowRight: (event) => (event.shiftKey ? wishes.neighbour(1) : wishes.pan(-keyStep, 0)),
    ArrowUp: () => wishes.pan(0, keyStep / 2),
    ArrowDown: () => wishes.pan(0, -keyStep / 2),
    '+': () => wishes.zoom(1 / 1.5, null),
    '=': () => wishes.zoom(1 / 1.5, null),
    '-': () => wishes.zoom(1.5, null),
    '0': () => wishes.go('all'),
    m: () => wishes.measureSeen(),
    Home: () => wishes.go('begin'),
    End: () => wishes.go('end'),
    '[': () => wishes.rowHeight(-1),
    ']': () => wishes.rowHeight(1),
    n: () => wishes.hit(1),
    p: () => wishes.hit(-1),
    Enter: () => wishes.choose(),
    Escape: () => wishes.clear(),
    '/': () => wishes.search(),
  };
}

/** Nearer than this a press and release are a click. */
const clickSlack = 4;

export function listen(canvas: HTMLElement, wishes: Wishes): void {
  const actions = keys(wishes);
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions[event.key];
    if (!action) return;
    action(event);
    event.preventDefault();
  });

  canvas.addEventListener(
    'wheel',
    (event) => {
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      if (event.ctrlKey || event.metaKey) wishes.zoom(Math.exp(event.deltaY * lines * 0.002), event.offsetX);
      else if (event.shiftKey) wishes.pan(-(event.deltaX || event.deltaY) * lines, 0);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) wishes.pan(-event.deltaX * lines, 0);
      else return; // the page scrolls
      event.preventDefault();
    },
    { passive: false },
  );

  let pressed: { x: number; y: number; lastX: number; lastY: number; shift: boolean; axis: boolean; moved: boolean } | null = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const { offsetX: x, offsetY: y } = event;
    pressed = { x, y, lastX: x, lastY: y, shift: event.shiftKey, axis: y < axisHeight, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    canvas.classList.toggle('over-axis', event.offsetY < axisHeight);
    if (!pressed) {
      wishes.hover(event.offsetX, event.offsetY);
      return;
    }
    if (Math.hypot(event.offsetX - pressed.x, event.offsetY - pressed.y) > clickSlack) pressed.moved = true;
    if (!pressed.moved || pressed.shift) return;
    if (pressed.axis) {
      wishes.measure(pressed.x, event.offsetX);
      return;
    }
    wishes.pan(event.offsetX - pressed.lastX, event.offsetY - pressed.lastY);
    [pressed.lastX, pressed.lastY] = [event.offsetX, event.offsetY];
  });
  canvas.addEventListener('pointerup', (event) => {
    if (pressed?.moved && pressed.shift) wishes.zoomTo(pressed.x, event.offsetX);
    else if (pressed && !pressed.moved) wishes.click(event.offsetX, event.offsetY);
    pressed = null;
  });
  canvas.addEventListener('pointercancel', () => (pressed = null));
  canvas.addEventListener('pointerleave', () => wishes.leave());
  canvas.addEventListener('dblclick', () => wishes.go('all'));
}
