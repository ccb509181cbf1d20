import './page.css';
import { drawBenchmark } from './benchmark';
import { Hub } from './context';
import { decodeReport } from './decode';
import { element } from './dom';
import { drawSearch } from './search/search';
import { Shell } from './shell';
import { Theme } from './theme';
import { unpack } from './unpack';

async function main(): Promise<void> {
  const hub = new Hub();
  const theme: Theme = new Theme(() => hub.tell('theme', theme));
  const data = await unpack(document.getElementById('report-data')?.textContent ?? '');
  if (data.curves) drawBenchmark(data.title, data.provenance, data.curves, theme, (draw) => hub.on('theme', draw));
  else if (data.search) drawSearch(data.title, data.provenance, data.search, theme, (draw) => hub.on('theme', draw));
  else await new Shell(decodeReport(data), theme, hub).draw();
}

main().catch((error: unknown) => {
  const said = error instanceof Error ? error.message : String(error);
  document.body.replaceChildren(element('main', {}, element('p', { class: 'fault', role: 'alert' }, said)));
  document.documentElement.dataset.state = 'failed';
});
