// Figures as files for other programs.
import { absent } from './format';

/** RFC 4180. */
export function csvLine(fields: readonly string[]): string {
  return fields.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',') + '\n';
}

export function downloadCsv(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 0);
}

/** Numbers as programs read them: no spaces between thousands, a plain minus, nothing for what is absent. */
const plain = (text: string): string =>
  text.trim() === absent ? '' : text.replace(/(\d)\u202f(?=\d)/g, '$1').replaceAll('\u2212', '-').replaceAll('\u202f', ' ').replace(/\s+/g, ' ').trim();

/** What a cell says, and what stands smaller below it. */
function fieldOf(cell: HTMLTableCellElement): string {
  const parts = [...cell.childNodes].map((node) => plain(node.textContent ?? '')).filter((text) => text !== '');
  return parts.length > 1 && cell.lastElementChild?.tagName === 'SMALL' ? `${parts.slice(0, -1).join(' ')} (${parts.at(-1)})` : parts.join(' ');
}

/** As it stands on the page; a group's head stands in each of its rows. Columns that are drawn have no text. */
export function csvOfTable(table: HTMLTableElement): string {
  const lines: string[][] = [];
  const grouped = table.querySelector('th[scope="rowgroup"]') !== null;
  let group = '';
  for (const row of table.rows) {
    const head = row.querySelector('th[scope="rowgroup"]');
    if (head) group = plain(head.textContent ?? '');
    else lines.push([...(grouped ? [row.parentElement?.tagName === 'THEAD' ? '' : group] : []), ...[...row.cells].map(fieldOf)]);
  }
  return lines.map(csvLine).join('');
}
