import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { findChromium } from '../../../../scripts/chromium.mjs';

/** A browser that belongs to a test file. */
export interface TestBrowser {
  /** A page in a profile of its own. Whatever it does that its policy forbids, and every error in it, fails the test. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

/** Opens Chromium for the tests of this file, without a window, with these arguments besides. */
export function testBrowser(args: readonly string[] = []): TestBrowser {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  let faults: string[] = [];
  // A server, a browser and an agent, on a machine that has much else to do.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } });

  beforeAll(async () => {
    const executablePath = findChromium();
    if (executablePath === undefined)
      throw new Error('There is no Chromium here: `node scripts/chromium.mjs` installs one.');
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
  });

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    const found = faults;
    faults = [];
    if (found.length > 0) throw new Error(`the page failed:\n${found.join('\n')}`);
  });

  afterAll(() => browser.close());

  return {
    async open(options = {}) {
      const context = await browser.newContext(options);
      contexts.push(context);
      // Sooner than the test is over, so that it says what it waited for.
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(String(error.stack)));
      page.on('console', (message) => {
        if (/Content Security Policy|Content-Security-Policy/.test(message.text()))
          faults.push(message.text());
      });
      return page;
    },
  };
}

/** What axe finds wrong with a page as it is now, a line for each place. */
export async function faultsOfAccess(page: Page): Promise<readonly string[]> {
  const require = createRequire(import.meta.url);
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  // A string, for the tests are compiled for Node and know no document.
  return page.evaluate<readonly string[]>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`,
  );
}
