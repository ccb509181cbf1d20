// node run.mjs unit|browser FILE: node's test runner on one bundled file; browser tests are skipped by name without Chromium.
import { spawnSync } from 'node:child_process';
import { findChromium } from '../support/chromium';

const [kind, file] = process.argv.slice(2);
if (!kind || !file) throw new Error('name the kind and the file of the tests');
if (kind === 'browser' && !findChromium()) {
  console.log('skipped: Chromium is missing (apt-get install chromium)');
} else {
  process.exitCode = spawnSync(process.execPath, ['--test', file], { stdio: 'inherit' }).status ?? 1;
}
