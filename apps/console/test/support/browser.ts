import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { findChromium } from '../../../../scripts/chromium.mjs';

/** A browser for one test file. */
export interface TestBrowser {
  /** Opens a page in its own profile. The test fails on any script error or violation of the content security policy. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

/** Starts a headless Chromium for the tests of this file, with additional arguments. */
export function testBrowser(args: readonly string[] = []): TestBrowser {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  let faults: string[] = [];
  // The server, the browser and the agent may share a busy machine.
  vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000, expect: { poll: { timeout: 40_000 } } });

  beforeAll(async () => {
    const executablePath = findChromium();
    if (executablePath === undefined)
      throw new Error('No Chromium was found. Install one with: node scripts/chromium.mjs');
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
  });

  afterEach(async () => {
    // Sometimes Chromium does not close a profile. Continue after a while, because profiles are closed with the browser.
    await Promise.all(
      contexts.splice(0).map(async (context) => Promise.race([context.close(), pause(15_000)])),
    );
    const found = faults;
    faults = [];
    if (found.length > 0) throw new Error(`The page had errors:\n${found.join('\n')}`);
  });

  afterAll(() => browser.close());

  return {
    async open(options = {}) {
      const context = await browser.newContext(options);
      contexts.push(context);
      // Shorter than the timeout of the test, so that the error names the element.
      context.setDefaultTimeout(40_000);
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

const accessTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules with these tags that depend on colors. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * Returns the violations that axe finds on a page, one line for each element.
 *
 * @param options.onlyColors for a page that was checked in other colors
 */
export async function faultsOfAccess(
  page: Page,
  { onlyColors = false }: { readonly onlyColors?: boolean } = {},
): Promise<readonly string[]> {
  const require = createRequire(import.meta.url);
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  // Pass a string, because tests are compiled for Node.js and have no types for the document.
  return page.evaluate<readonly string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(onlyColors ? colorRules : accessTags)} })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`,
  );
}
