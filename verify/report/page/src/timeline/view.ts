// The part of the time axis that is seen. All panes share one.

/** Nanoseconds: nothing happens within less. */
const shortest = 10;

export class View {
  begin = 0;
  end = 1;
  private whole = 1;

  /** The axis goes from 0 to `whole` ns; what is seen stays as far as it fits. */
  setWhole(whole: number): void {
    const all = this.begin === 0 && this.end === this.whole;
    this.whole = Math.max(whole, shortest);
    if (all) this.reset();
    else this.show(this.begin, this.end);
  }

  get total(): number {
    return this.whole;
  }
  get length(): number {
    return this.end - this.begin;
  }

  reset(): void {
    this.begin = 0;
    this.end = this.whole;
  }

  /** Shows [begin, end), moved or cut to fit the axis. */
  show(begin: number, end: number): void {
    const length = Math.min(this.whole, Math.max(shortest, end - begin));
    this.begin = Math.max(0, Math.min(begin + (end - begin - length) / 2, this.whole - length));
    this.end = this.begin + length;
  }

  /** Shows `factor` times as much; the moment `at` stays where it is. */
  zoom(factor: number, at = (this.begin + this.end) / 2): void {
    const length = Math.min(this.whole, Math.max(shortest, this.length * factor));
    const begin = at - ((at - this.begin) / this.length) * length;
    this.show(begin, begin + length);
  }

  pan(ns: number): void {
    this.show(this.begin + ns, this.end + ns);
  }

  /** Moves so that [begin, end) is well inside, if it is not. */
  reveal(begin: number, end: number): void {
    const margin = this.length * 0.02;
    if (begin >= this.begin + margin && end <= this.end - margin) return;
    const length = Math.max(this.length, (end - begin) * 1.5);
    this.show((begin + end - length) / 2, (begin + end + length) / 2);
  }
}
