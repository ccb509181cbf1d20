// A page made of the built page.html and a report, as `tasktwin compare --report` makes one.
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateSync, inflateSync } from 'node:zlib';
import type { ReportData } from 'page/data';

const marker = '@TASKTWIN_REPORT_DATA@';

export function writePage(template: string, file: string, report: ReportData): void {
  const packed = deflateSync(Buffer.from(JSON.stringify(report))).toString('base64');
  writeFileSync(
    file,
    readFileSync(template, 'utf8').replace(marker, () => packed),
  );
}

/** What is in a page. */
export function readPage(file: string): ReportData {
  const found = /id="report-data">([^<]*)</.exec(readFileSync(file, 'utf8'));
  if (!found) throw new Error(`${file} is no report page`);
  return JSON.parse(inflateSync(Buffer.from(found[1]!, 'base64')).toString('utf8')) as ReportData;
}
