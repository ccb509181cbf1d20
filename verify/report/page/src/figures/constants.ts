// What a machine file says about where its constants come from.

/** A source says what was assumed for want of a measurement or publication: the constant itself, or part of several that it is for. */
export function assumption(source: string): 'whole' | 'part' | null {
  if (/^(assumed:|not (measured|published)\b)/i.test(source)) return 'whole';
  return /\bassumed\b/i.test(source) ? 'part' : null;
}
