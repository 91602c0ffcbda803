import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { isLong } from '../../../test/is-long.ts';
import type { Agent } from './support/agent.ts';
import { openAgent } from './support/agent.ts';
import { faultsOfAccess, testBrowser } from './support/browser.ts';
import type { ConsoleServer } from './support/console-place.ts';
import { consolePlace } from './support/console-place.ts';
import { reachConfirmation, reachGate, walkThrough } from './support/reach-gate.ts';
import { signIn } from './support/sign-in.ts';

const place = consolePlace('access');
const browser = testBrowser();

let server: ConsoleServer;
let waiting: string;
let judged: string;
let done: string;

const edited = 'edit?source=custom-1&file=review.yaml';

beforeAll(async () => {
  server = await place.start();
  // Two of one workflow stand in the inbox, so that what is said of the one is said of the other too.
  waiting = await sidAfter(reachGate);
  judged = await sidAfter(reachConfirmation);
  await sidAfter(reachConfirmation);
  done = await sidAfter(walkThrough);
});

async function sidAfter(work: (agent: Agent) => Promise<void>): Promise<string> {
  const agent = await openAgent(server.url);
  await work(agent);
  await agent.close();
  return agent.sid();
}

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

/** Opens what was folded away when the page came. */
async function unfold(page: Page): Promise<void> {
  const folded = page.locator('main details:not([open]) > summary');
  while ((await folded.count()) > 0) await folded.first().click();
}

/** What stands in each part of a run that is done. */
const partsOfRun = {
  timeline: 'Started on shop',
  outputs: 'A plan with all that it takes.',
  variables: 'How they changed',
  gates: 'Answered by the agent',
  refusals: 'Refused with',
  children: 'Who took part',
};

const pages = (): readonly Looked[] => [
  { name: 'gates', address: 'gates', shows: 'Approve the plan', act: unfold },
  { name: 'runs', address: 'runs', shows: 'Ship a change' },
  { name: 'no runs', address: 'runs?text=nothing', shows: 'No run is like that.' },
  { name: 'a run that waits', address: `runs/${waiting}`, shows: 'its risk is low' },
  ...['outputs', 'variables'].map((tab) => ({
    name: `a run that waits: ${tab}`,
    address: `runs/${judged}?tab=${tab}`,
    shows: 'Three lines of it are odd.',
    act: unfold,
  })),
  { name: 'a run', address: `runs/${done}`, shows: 'verified', act: seePicture },
  ...Object.entries(partsOfRun).map(([tab, shows]) => ({
    name: `a run: ${tab}`,
    address: `runs/${done}?tab=${tab}`,
    shows,
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

test.each(isLong ? [...usual, ...rare] : usual)(
  'axe finds nothing wrong with any page, and nothing is cut off: %s, %d px',
  async (colorScheme, width) => {
    const page = await browser.open({ colorScheme, viewport: { width, height: 800 } });
    const found = new Map<string, readonly string[]>();
    const look = async (name: string): Promise<void> => {
      // At its end, where the bar at the bottom of a small window covers nothing.
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
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
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Runs');
});

test('what the keyboard reaches on a phone does not stand behind the bar at the bottom', async () => {
  const page = await signIn(await browser.open({ viewport: { width: 360, height: 640 } }), server);
  const gates = page.getByRole('article');
  await gates.nth(2).waitFor();
  await gates.getByRole('button').first().focus();
  const reached: number[] = [];
  for (const here = page.locator('main :focus'); (await here.count()) > 0; await page.keyboard.press('Tab'))
    reached.push((await here.boundingBox())?.y ?? Infinity);
  const bar = await page.getByRole('navigation').boundingBox();
  expect(reached.length).toBeGreaterThan(12);
  expect(Math.max(...reached)).toBeLessThan(bar?.y ?? 0);
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
