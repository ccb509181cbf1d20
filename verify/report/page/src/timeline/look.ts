// How the timelines are to look: what rows and spans are drawn with.
import type { Theme } from '../theme';

/** By pane. */
export interface PaneColours {
  tasks: Uint32Array;
  steps: Uint32Array;
}

export interface Look {
  theme: Theme;
  colours: PaneColours[];
  /** By task; labels of spans that have room. */
  names: readonly string[];
  hatched: (task: number) => boolean;
}
