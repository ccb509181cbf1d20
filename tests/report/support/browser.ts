// Chromium without a window, and a page opened in it from its file.
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium';

export function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium is missing');
  return chromium.launch({
    executablePath,
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Shown {
  page: Page;
  /** Errors of the page, what it wrote to the console as errors or warnings, and each request but the one for its file. */
  faults: string[];
}

/** Opens the file and waits until the page has drawn itself. */
export async function open(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Shown> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:,')) faults.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForSelector(':root[data-state="ready"], :root[data-state="failed"]', { state: 'attached', timeout: 60_000 });
  return { page, faults };
}
