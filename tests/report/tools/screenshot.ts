// node screenshot.mjs PAGE.html OUT.png [dark] [print] [full] [only] [width=1280] [height=900] [click=SELECTOR] [at=SELECTOR]:
// a picture of a page; with `only` of what is at SELECTOR.
import { launch, open } from '../support/browser';

const [page, out, ...words] = process.argv.slice(2);
if (!page || !out) throw new Error('name the page and the picture');
const value = (name: string): string | undefined => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);

const browser = await launch();
try {
  const viewport = { width: Number(value('width') ?? 1280), height: Number(value('height') ?? 900) };
  const shown = await open(browser, page, { colorScheme: words.includes('dark') ? 'dark' : 'light', viewport });
  if (words.includes('print')) await shown.page.emulateMedia({ media: 'print' });
  const click = value('click');
  if (click) await shown.page.click(click);
  const at = value('at');
  if (at) await shown.page.locator(at).scrollIntoViewIfNeeded();
  await shown.page.waitForTimeout(300);
  if (at && words.includes('only')) await shown.page.locator(at).screenshot({ path: out });
  else await shown.page.screenshot({ path: out, fullPage: words.includes('full') });
  for (const fault of shown.faults) console.error(fault);
} finally {
  await browser.close();
}
