// node build.mjs PAGE_FOLDER TESTS: checks the types of the tests and bundles each into the working folder. "page/…" in an import is
// the page's source; esbuild and the compiler are the page's.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [pageFolder, tests] = process.argv.slice(2);
const require = createRequire(join(pageFolder, 'package.json'));
const { build } = require('esbuild');

try {
  execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '--project', 'tsconfig.json'], { stdio: 'inherit' });
} catch {
  process.exit(1); // the compiler has said why
}

const files = (folder, ending) =>
  readdirSync(join(tests, folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => join(tests, folder, file));
await build({
  entryPoints: [...files('unit', '.test.ts'), ...files('browser', '.test.ts'), ...files('tools', '.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  alias: { page: join(pageFolder, 'src') },
  external: ['playwright-core'],
  outdir: '.',
  outbase: tests,
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
});
