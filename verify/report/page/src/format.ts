// Numbers with their units, for people. What is absent or no number is "–".

const thin = '\u202f';
export const absent = '–';

/** 12345 as "12 345" with narrow spaces. */
export function count(value: number): string {
  if (!Number.isFinite(value)) return absent;
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, thin);
}

/** With `digits` decimals and narrow spaces between thousands. */
export function decimal(value: number, digits: number): string {
  if (!Number.isFinite(value)) return absent;
  const [whole = '', fraction] = Math.abs(value).toFixed(digits).split('.');
  const sign = value < 0 && Number(Math.abs(value).toFixed(digits)) !== 0 ? '−' : '';
  return sign + whole.replace(/\B(?=(\d{3})+(?!\d))/g, thin) + (fraction ? '.' + fraction : '');
}

/** Nanoseconds in the unit that suits them: "417 ns", "12.34 µs", "1 234.5 µs", "47.097 ms", "1.234 s". */
export function duration(ns: number): string {
  if (!Number.isFinite(ns)) return absent;
  const size = Math.abs(ns);
  if (size < 1000) return decimal(ns, 0) + thin + 'ns';
  if (size < 100e3) return decimal(ns / 1e3, 2) + thin + 'µs';
  if (size < 10e6) return decimal(ns / 1e3, 1) + thin + 'µs';
  if (size < 10e9) return decimal(ns / 1e6, 2) + thin + 'ms';
  return decimal(ns / 1e9, 3) + thin + 's';
}

/** Microseconds with one decimal, for columns of one unit; the unit is the column's. */
export function microseconds(ns: number): string {
  return decimal(ns / 1e3, 1);
}

/** A moment to the nanosecond: "95 ns", "12.345 µs". */
export function exact(ns: number): string {
  if (!Number.isFinite(ns)) return absent;
  return Math.abs(ns) < 1000 ? decimal(ns, 0) + thin + 'ns' : decimal(ns / 1e3, 3) + thin + 'µs';
}

/** A share as "12.3 %". */
export function percent(share: number, digits = 1): string {
  return Number.isFinite(share) ? decimal(share * 100, digits) + thin + '%' : absent;
}

/** A difference as "+12.3 %" or "−4.5 %". */
export function signedPercent(share: number, digits = 1): string {
  if (!Number.isFinite(share)) return absent;
  return (decimal(share * 100, digits).startsWith('−') ? '' : '+') + percent(share, digits);
}

/** The same for nanoseconds: "+1.25 µs". */
export function signedDuration(ns: number): string {
  if (!Number.isFinite(ns)) return absent;
  return (ns < 0 ? '' : '+') + duration(ns);
}

/** Bytes in powers of 1024: "1.5 MiB". */
export function bytes(value: number): string {
  if (!Number.isFinite(value)) return absent;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return decimal(value, unit === 0 ? 0 : 1) + thin + units[unit];
}
