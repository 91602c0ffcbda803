import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openAgent } from './support/agent.ts';
import { faultsOfAccess, testBrowser } from './support/browser.ts';
import type { ConsoleServer } from './support/console-place.ts';
import { consolePlace } from './support/console-place.ts';
import { reachGate, walkThrough } from './support/reach-gate.ts';
import { signIn } from './support/sign-in.ts';

const place = consolePlace('access');
const browser = testBrowser();

let server: ConsoleServer;
let waiting: string;
let done: string;

const edited = 'edit?source=custom-1&file=review.yaml';

beforeAll(async () => {
  server = await place.start();
  const [one, other] = await Promise.all([openAgent(server.url), openAgent(server.url)]);
  await reachGate(one);
  await walkThrough(other);
  [waiting, done] = [one.sid(), other.sid()];
  await Promise.all([one.close(), other.close()]);
}, 60_000);

/** A page, by what it is. */
interface Looked {
  readonly name: string;
  readonly address: string;
  /** A text that is there once the page is. */
  readonly shows: string;
  /** What is done on it before it is looked at. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const seePicture = (page: Page): Promise<void> => page.locator('.react-flow__node').first().waitFor();

const pages = (): readonly Looked[] => [
  { name: 'gates', address: 'gates', shows: 'Approve the plan' },
  { name: 'runs', address: 'runs', shows: 'Ship a change' },
  { name: 'no runs', address: 'runs?text=nothing', shows: 'No run is like that.' },
  { name: 'a run that waits', address: `runs/${waiting}`, shows: 'its risk is low' },
  { name: 'a run', address: `runs/${done}`, shows: 'verified', act: seePicture },
  ...['timeline', 'outputs', 'variables', 'gates', 'refusals', 'children'].map((tab) => ({
    name: `a run: ${tab}`,
    address: `runs/${done}?tab=${tab}`,
    shows: 'verified',
  })),
  { name: 'a comparison', address: `compare?a=${waiting}&b=${done}`, shows: 'In short' },
  { name: 'workflows', address: 'workflows', shows: 'something wrong' },
  { name: 'a workflow', address: 'workflows/shop', shows: 'From a plan', act: seePicture },
  { name: 'its steps', address: 'workflows/shop?tab=steps', shows: 'Plan the change' },
  { name: 'its files', address: 'workflows/shop?tab=files', shows: 'activities/01-plan.json' },
  { name: 'a walk', address: 'workflows/review?tab=try', shows: 'Variables at the start', act: walk },
  { name: 'the editor', address: edited, shows: 'would be served' },
  { name: 'what would be saved', address: edited, shows: 'would be served', act: review },
  { name: 'a new workflow', address: 'edit', shows: 'Lowercase letters' },
  { name: 'criteria', address: 'judge', shows: 'Criteria, as JSON', act: judge },
  { name: 'health', address: 'health', shows: 'Latency' },
  { name: 'no page', address: 'nowhere', shows: 'There is no such page.' },
];

const usual = [
  ['light', 1280],
  ['dark', 360],
] as const;
const rare = [
  ['light', 360],
  ['dark', 1280],
] as const;

test.each(process.env['WORKFLOWLOOKUP_LONG'] === '1' ? [...usual, ...rare] : usual)(
  'axe finds nothing wrong with any page, and nothing is cut off: %s, %d px',
  async (colorScheme, width) => {
    const page = await browser.open({ colorScheme, viewport: { width, height: 800 } });
    const found = new Map<string, readonly string[]>();
    const look = async (name: string): Promise<void> => {
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      found.set(name, [
        ...(await faultsOfAccess(page)),
        ...(isWide === true ? ['wider than the window'] : []),
      ]);
    };
    await page.goto(new URL('/console/', server.url).href);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await look('sign-in');
    await signIn(page, server);
    for (const { name, address, shows, act } of pages()) {
      await page.goto(new URL(`/console/${address}`, server.url).href);
      await page.getByText(shows).filter({ visible: true }).first().waitFor();
      await act?.(page);
      await look(name);
    }
    const faults = [...found].filter(([, lines]) => lines.length > 0);
    expect(Object.fromEntries(faults)).toEqual({});
    expect(found.size).toBe(pages().length + 1);
  },
  180_000,
);

test('a page is left and entered by the keyboard alone', async () => {
  const page = await signIn(await browser.open(), server);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  await page.locator('h1:focus').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Runs');
});

async function walk(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Walk' }).click();
  await page.getByText('It came to its end.').waitFor();
}

async function judge(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Judge' }).click();
  await page.getByText('The output misses them.').waitFor();
}

async function review(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Text of review.yaml' }).press('Control+End');
  await page.keyboard.type('# Read twice.');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Changes' }).waitFor();
}
