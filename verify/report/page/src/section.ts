// What a section of the page is.
import type { Context } from './context';

export interface Section {
  /** Of the page's element, and the anchor of its link. */
  id: string;
  title: string;
  /** Fills the empty `host`, below its heading. Returns false where this scenario has nothing to show; the heading then goes. */
  render(host: HTMLElement, context: Context): void | false;
}
