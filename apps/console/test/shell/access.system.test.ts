import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Agent } from '../support/agent.ts';
import { openAgent } from '../support/agent.ts';
import { faultsOfAccess, testBrowser } from '../support/browser.ts';
import type { ConsoleServer } from '../support/console-place.ts';
import { consolePlace } from '../support/console-place.ts';
import { reachConfirmation, reachCheckpoint, walkThrough } from '../support/reach-checkpoint.ts';
import { signIn } from '../support/sign-in.ts';
import { isLong } from '../../../../test/support/is-long.ts';
import { editorMessages, workflowMessages } from '../../src/messages/workflows.ts';
import { checkpointMessages } from '../../src/messages/checkpoints.ts';
import { healthMessages, shellMessages } from '../../src/messages/common.ts';
import { insightMessages } from '../../src/messages/insights.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';

const place = consolePlace();
const browser = testBrowser();

let server: ConsoleServer;
let waiting: string;
let judged: string;
let done: string;

const edited = 'edit?source=custom-1&file=review.yaml';

beforeAll(async () => {
  server = await place.start();
  // Two sessions of one workflow show that labels stay unique on the page.
  waiting = await sidAfter(async (agent) => {
    await reachCheckpoint(agent);
    await agent.call('next_activity', { activity_id: 'report' });
  });
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

/** A page to check. */
interface Looked {
  readonly name: string;
  readonly address: string;
  /** A text that is visible once the page has loaded. */
  readonly shows: string;
  /** Prepares the page before it is checked. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const seePicture = (page: Page): Promise<void> => page.locator('.react-flow__node').first().waitFor();

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: shellMessages.palette.title }).fill('ship');
  await page.getByRole('option').first().waitFor();
}

/** Opens every closed details element that is shown. */
async function unfold(page: Page): Promise<void> {
  const folded = page.locator('main details:not([open]) > summary').filter({ visible: true });
  while ((await folded.count()) > 0) await folded.first().click();
}

/** A text in each tab of a completed session. */
const partsOfRun = {
  timeline: sessionMessages.events.started('Ship a change', '').trim(),
  outputs: 'A plan with all that it takes.',
  variables: sessionMessages.variables.now,
  checkpoints: checkpointMessages.answered.by('the agent').trim(),
  children: sessionMessages.children.participants,
};

const pages = (): readonly Looked[] => [
  { name: 'checkpoints', address: 'checkpoints', shows: 'Approve the plan', act: unfold },
  { name: 'answers', address: 'checkpoints?view=answered', shows: checkpointMessages.answered.empty },
  { name: 'sessions', address: 'sessions', shows: 'Ship a change' },
  { name: 'no sessions', address: 'sessions?text=nothing', shows: sessionMessages.list.noMatch },
  { name: 'a session that waits', address: `sessions/${waiting}`, shows: 'its risk is low' },
  ...['outputs', 'variables'].map((tab) => ({
    name: `a session that waits: ${tab}`,
    address: `sessions/${judged}?tab=${tab}`,
    shows: 'Three lines of it are odd.',
    act: unfold,
  })),
  { name: 'a session', address: `sessions/${done}`, shows: 'not altered', act: seePicture },
  ...Object.entries(partsOfRun).map(([tab, shows]) => ({
    name: `a session: ${tab}`,
    address: `sessions/${done}?tab=${tab}`,
    shows,
  })),
  {
    name: 'a part of a session',
    address: `sessions/${done}?tab=timeline&activity=plan`,
    shows: sessionMessages.events.reachedCheckpoint('Approve the plan'),
    act: unfold,
  },
  { name: 'a choice of sessions', address: `compare?a=${waiting}`, shows: sessionMessages.compare.search },
  {
    name: 'a comparison',
    address: `compare?a=${waiting}&b=${done}`,
    shows: sessionMessages.compare.tables.facts,
  },
  { name: 'workflows', address: 'workflows', shows: workflowMessages.problems.notServed },
  { name: 'a workflow', address: 'workflows/shop', shows: 'From a plan', act: seePicture },
  { name: 'its steps', address: 'workflows/shop?tab=steps', shows: 'Plan the change' },
  { name: 'its files', address: 'workflows/shop?tab=files', shows: 'activities/01-plan.json' },
  { name: 'a walk', address: 'workflows/review?tab=try', shows: workflowMessages.walk.variables, act: walk },
  { name: 'the editor', address: edited, shows: editorMessages.state.valid },
  { name: 'what would be saved', address: edited, shows: editorMessages.state.valid, act: review },
  { name: 'a new workflow', address: 'edit', shows: editorMessages.newFile.nameRule },
  { name: 'criteria', address: 'judge', shows: workflowMessages.criteria.criteria, act: judge },
  { name: 'checks', address: 'checks', shows: workflowMessages.checks.runsNone },
  { name: 'insights', address: 'insights', shows: insightMessages.refusals.title, act: unfold },
  { name: 'no insights', address: 'insights?workflow=none', shows: insightMessages.empty },
  { name: 'the palette', address: 'sessions', shows: 'Ship a change', act: openPalette },
  { name: 'a view to save', address: 'sessions?search=change', shows: sessionMessages.views.save },
  { name: 'health', address: 'health', shows: healthMessages.latency.title },
  { name: 'no page', address: 'nowhere', shows: shellMessages.notFound.reason },
];

test.each([1280, 360])(
  'every page passes axe and fits its window, light and dark: %d px',
  async (width) => {
    const page = await browser.open({ viewport: { width, height: 800 } });
    const found = new Map<string, readonly string[]>();
    const look = async (name: string): Promise<void> => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // Scroll to the end, so that the bar at the bottom of a small window covers nothing.
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        found.set(`${name}, ${colorScheme}`, [
          ...(await faultsOfAccess(page, { onlyColors: colorScheme === 'dark' && !isLong })),
          ...(isWide === true ? ['wider than the window'] : []),
        ]);
      }
    };
    await page.goto(new URL('/console/', server.url).href);
    await page.getByRole('heading', { name: shellMessages.signIn.title }).waitFor();
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
    expect(found.size).toBe(2 * (pages().length + 1));
  },
  240_000,
);

test('a keyboard user can move between pages', async () => {
  const page = await signIn(await browser.open(), server);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('navigation').getByRole('link', { name: shellMessages.navigation.sessions }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: sessionMessages.list.title }).waitFor();
  await expect
    .poll(() => page.evaluate('document.activeElement.textContent'))
    .toBe(sessionMessages.list.title);
});

test('the bar at the bottom of a phone never covers the focused element', async () => {
  const page = await signIn(await browser.open({ viewport: { width: 360, height: 640 } }), server);
  await page.goto(new URL(`/console/sessions/${waiting}`, server.url).href);
  await page.getByRole('radio').first().focus();
  const reached: number[] = [];
  const scrolledTo: unknown[] = [];
  for (const here = page.locator('main :focus'); (await here.count()) > 0; await page.keyboard.press('Tab')) {
    reached.push((await here.boundingBox())?.y ?? Infinity);
    scrolledTo.push(await page.evaluate('scrollY'));
  }
  const bar = await page.getByRole('navigation').boundingBox();
  expect(reached.length).toBeGreaterThan(4);
  // The page is longer than the window, so the last elements had to be scrolled into view.
  expect(scrolledTo.at(-1)).toBeGreaterThan(0);
  expect(Math.max(...reached)).toBeLessThan(bar?.y ?? 0);
});

async function walk(page: Page): Promise<void> {
  await page.getByRole('button', { name: workflowMessages.walk.start }).click();
  await page.getByText(workflowMessages.walk.ends.completed).waitFor();
}

async function judge(page: Page): Promise<void> {
  await page.getByRole('button', { name: workflowMessages.criteria.check }).click();
  await page.getByText(workflowMessages.criteria.missed).waitFor();
}

async function review(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: editorMessages.text('review.yaml') }).press('Control+End');
  await page.keyboard.type('# Read twice.');
  await page.getByRole('button', { name: editorMessages.review }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: editorMessages.changes }).waitFor();
}
