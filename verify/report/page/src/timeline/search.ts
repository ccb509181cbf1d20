// Tasks by name.

/** Lower-cased once a graph. */
const folded = new WeakMap<readonly string[], string[]>();

/** The tasks whose name holds `text`, whatever the case; those called exactly so first, else by `time` (NaN last), then by number. */
export function find(names: readonly string[], text: string, time: (task: number) => number): number[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  let lower = folded.get(names);
  if (!lower) folded.set(names, (lower = names.map((name) => name.toLowerCase())));
  const hits: number[] = [];
  for (let task = 0; task < lower.length; ++task) {
    if (lower[task]!.includes(wanted)) hits.push(task);
  }
  const key = (task: number): number => {
    const at = time(task);
    return lower[task] === wanted ? -Infinity : Number.isNaN(at) ? Infinity : at;
  };
  const keys = new Map(hits.map((task) => [task, key(task)]));
  const order = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
  return hits.sort((a, b) => order(keys.get(a)!, keys.get(b)!) || a - b);
}
