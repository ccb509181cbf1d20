// The report's data out of the page: base64, deflated (zlib), JSON.
import type { ReportData } from './data';

/** Throws with a sentence for the reader where the page has no data, or this browser cannot unpack it. */
export async function unpack(text: string): Promise<ReportData> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error(
      'This browser is too old for this page: it lacks DecompressionStream (Chrome 80, Firefox 113 and Safari 16.4 have it).',
    );
  }
  const packed = atob(text.trim());
  if (packed.length === 0) throw new Error('This page was made without data. "tasktwin compare … --report FILE" makes one with data.');
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const data = (await new Response(stream).json()) as ReportData;
  if (data.format !== 1) throw new Error(`The data in this page has format ${String(data.format)}; the page reads format 1.`);
  return data;
}
