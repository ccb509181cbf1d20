// The hits of the search, and which of them was shown last.
import { count } from '../format';
import { find } from './search';

export class Hits {
  private tasks: number[] = [];
  private at = -1;
  private text = '';

  search(names: readonly string[], text: string, time: (task: number) => number): void {
    this.tasks = find(names, text, time);
    this.at = -1;
    this.text = text.trim();
  }

  get all(): readonly number[] {
    return this.tasks;
  }

  /** The one shown last, or else the first; −1 for none. */
  get current(): number {
    return this.tasks[Math.max(0, this.at)] ?? -1;
  }

  /** The next (+1) or the one before (−1), round and round; −1 for none. */
  step(direction: 1 | -1): number {
    const { length } = this.tasks;
    if (length === 0) return -1;
    this.at = this.at < 0 && direction < 0 ? length - 1 : (this.at + direction + length) % length;
    return this.current;
  }

  /** "3 of 12 tasks"; empty where nothing is searched for. */
  get summary(): string {
    if (!this.text) return '';
    const where = this.at < 0 ? '' : `${count(this.at + 1)} of `;
    return `${where}${count(this.tasks.length)} ${this.tasks.length === 1 ? 'task' : 'tasks'}`;
  }
}
