// node make_samples.mjs PAGE.html FOLDER: pages with made-up data, for looking at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writePage } from '../support/page';
import { syntheticReport, type Wish } from '../support/synthetic';

const [template, folder] = process.argv.slice(2);
if (!template || !folder) throw new Error('name the page and the folder to write to');

const samples: Record<string, Wish[]> = {
  usual: [{ name: 'layers' }, { name: 'unmeasured', measured: false, designs: ['a', 'b', 'c'] }],
  single: [{ tasks: 1, measured: false, designs: ['alone'] }],
  many: [{ designs: Array.from({ length: 20 }, (_, i) => `design-${i}`) }],
  lost: [{ lost: 7, copies: 5, controlCores: 0 }],
  large: [{ tasks: 100_000, cores: 131, designs: ['central-dispatcher'], measured: false }],
};
mkdirSync(folder, { recursive: true });
for (const [name, wishes] of Object.entries(samples)) writePage(template, join(folder, `${name}.html`), syntheticReport(...wishes));
