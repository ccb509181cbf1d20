// node build.mjs FOLDER: checks the types, bundles src/ and puts both into index.html.
// Writes FOLDER/page.html, and FOLDER/page_text.cpp, which carries it into the executable.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = process.argv[2];
if (!folder) {
  console.error('build.mjs: name the folder to write to');
  process.exit(2);
}

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
try {
  execFileSync(process.execPath, [compiler, '--project', 'tsconfig.json'], { stdio: 'inherit' });
} catch {
  process.exit(1); // the compiler has said why
}

const { outputFiles } = await build({
  entryPoints: ['src/main.ts'],
  bundle: true,
  minify: true,
  preserveSymlinks: true,
  format: 'iife',
  target: ['chrome110', 'firefox113', 'safari16.4'],
  charset: 'utf8',
  legalComments: 'inline',
  outdir: folder,
  entryNames: 'page',
  write: false,
});
const output = (suffix) => outputFiles.find((file) => file.path.endsWith(suffix))?.text ?? '';

const inlined = { '@STYLE@': output('.css').trim(), '@SCRIPT@': output('.js').trim() };
const page = readFileSync('index.html', 'utf8').replace(/@STYLE@|@SCRIPT@/g, (marker) => inlined[marker]);
writeFileSync(join(folder, 'page.html'), page);

// A literal a piece; octal escapes for what is not ASCII, since they end after three digits whatever follows.
const literal = (bytes) => {
  let text = '"';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === '\\') text += '\\' + character;
    else if (character === '?') text += '\\?';
    else if (byte >= 0x20 && byte < 0x7f) text += character;
    else text += '\\' + byte.toString(8).padStart(3, '0');
  }
  return text + '"';
};
const bytes = Buffer.from(page, 'utf8');
const pieces = [];
for (let begin = 0; begin < bytes.length; begin += 4000) pieces.push('    ' + literal(bytes.subarray(begin, begin + 4000)));
writeFileSync(
  join(folder, 'page_text.cpp'),
  `#include "verify/report/page_text.hpp"

namespace tasktwin::verify {
namespace {

constexpr char kPage[] =
${pieces.join('\n')};

}  // namespace

std::optional<std::string_view> report_page() { return std::string_view(kPage, sizeof kPage - 1); }
std::string_view why_no_report_page() { return {}; }

}  // namespace tasktwin::verify
`,
);
