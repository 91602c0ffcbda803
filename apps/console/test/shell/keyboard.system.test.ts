import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { checkpointMessages } from '../../src/messages/checkpoints.ts';
import { shellMessages } from '../../src/messages/common.ts';
import { insightMessages } from '../../src/messages/insights.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';
import { editorMessages, workflowMessages } from '../../src/messages/workflows.ts';
import type { Agent } from '../support/agent.ts';
import { openAgent } from '../support/agent.ts';
import { testBrowser } from '../support/browser.ts';
import type { ConsoleServer } from '../support/console-place.ts';
import { consolePlace } from '../support/console-place.ts';
import { reachCheckpoint, walkThrough } from '../support/reach-checkpoint.ts';
import { signIn } from '../support/sign-in.ts';

// These tests use no mouse, and move the focus only with keys.
const place = consolePlace();
const browser = testBrowser();

let server: ConsoleServer;
let waiting: Agent;

beforeAll(async () => {
  server = await place.start();
  waiting = await openAgent(server.url);
  const done = await openAgent(server.url);
  await walkThrough(done);
  await done.close();
  await reachCheckpoint(waiting);
});

const mostStops = 150;

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.first().waitFor();
  for (let stop = 0; stop < mostStops; stop += 1) {
    if (await hasFocus(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Pressing ${key} ${mostStops} times did not move the focus to ${target.toString()}`);
}

/** Returns whether an element has the focus, also one in a shadow tree. */
function hasFocus(target: Locator): Promise<boolean> {
  return target
    .first()
    .evaluate((element) => (element as unknown as Rooted).getRootNode().activeElement === element);
}

/** A part of the type Element. Tests are compiled for Node.js and have no types for the document. */
interface Rooted {
  getRootNode(): { readonly activeElement: unknown };
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

const kinds: Readonly<Record<'page' | 'workflow', string>> = shellMessages.palette.kinds;

/** Goes to a page with the command palette. */
async function goTo(page: Page, words: string, kind = kinds.page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: shellMessages.palette.title }).waitFor();
  await page.keyboard.type(words);
  const wanted = page.getByRole('option').filter({ hasText: words }).filter({ hasText: kind }).first();
  await wanted.waitFor();
  for (let at = 0; (await wanted.getAttribute('aria-selected')) !== 'true' && at < 20; at += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

/** Moves from the chosen tab of a page to another one. */
async function chooseTab(page: Page, name: string): Promise<void> {
  await tabTo(page, page.getByRole('tab', { selected: true }));
  const wanted = page.getByRole('tab', { name, exact: true });
  for (let at = 0; !(await hasFocus(wanted)) && at < 10; at += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
}

test('a checkpoint is answered with a note', async () => {
  const page = await signIn(await browser.open(), server);
  const { answer, outbox } = checkpointMessages;
  await press(page, page.getByRole('radio').first(), 'Space');
  await tabTo(page, page.getByRole('textbox', { name: answer.note }));
  await page.keyboard.type('Keep the old name.');
  await press(page, page.getByRole('button', { name: answer.send('Go on') }));
  await press(page, page.getByRole('button', { name: outbox.sendNow }));
  await page.getByText(outbox.states.sent('Go on')).waitFor();
  const resumed = await waiting.call('resume_checkpoint');
  expect(resumed.text).toContain('Keep the old name.');
});

test('a session is searched, opened, and compared with another one', async () => {
  const page = await signIn(await browser.open(), server);
  await goTo(page, shellMessages.navigation.sessions);
  await page.getByRole('heading', { name: sessionMessages.list.title }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('high');
  const rows = page.getByRole('table', { name: sessionMessages.list.label }).getByRole('link');
  // Only the completed session set its risk to high.
  await expect.poll(() => rows.count()).toBe(1);
  await tabTo(page, rows);
  await page.keyboard.press('Enter');
  await press(page, page.getByRole('link', { name: sessionMessages.page.compare }));

  const second = page.getByRole('region', { name: sessionMessages.compare.second });
  await tabTo(page, second.getByRole('searchbox'));
  await page.keyboard.type('ship');
  await press(page, second.getByRole('button', { name: 'Ship a change' }));
  await page.getByRole('heading', { name: sessionMessages.compare.tables.plan }).waitFor();
});

test.each([
  ['why calls were refused', insightMessages.refusals.title, /^refused:/],
  ['refused calls by agent and step', insightMessages.agentRefusals.title, /^agent-refused-at:plan\//],
])('A figure of the insights leads to its sessions: %s', async (_name, table, tag) => {
  const page = await signIn(await browser.open(), server);
  const navigation = page.getByRole('navigation', { name: shellMessages.navigation.label });
  await press(page, navigation.getByRole('link', { name: shellMessages.navigation.insights }));
  await tabTo(page, page.getByRole('combobox', { name: insightMessages.filters.workflow }));
  await page.keyboard.type('Ship');
  await expect.poll(() => new URL(page.url()).searchParams.get('workflow')).toBe('shop');
  const refusals = page.getByRole('group', { name: table });
  await press(page, refusals.getByRole('link').first());
  const rows = page.getByRole('table', { name: sessionMessages.list.label }).getByRole('link');
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('tag')).toMatch(tag);
});

test('A part of a bar leads to the sessions with that outcome, and the space above it to all of that day', async () => {
  const page = await signIn(await browser.open(), server);
  await goTo(page, shellMessages.navigation.insights);
  const day = page.getByRole('list', { name: insightMessages.days.label }).getByRole('listitem').last();
  const { results } = insightMessages.days;
  await day.getByRole('link').first().waitFor();
  const label = (await day.getByRole('link').first().getAttribute('aria-label')) ?? '';
  expect(label).toContain(`1 ${results.other}, 1 ${results.running}`);
  const [on = ''] = label.split(':');
  await press(
    page,
    day.getByRole('link', { name: insightMessages.days.bar(on, `1 ${results.running}`), exact: true }),
  );
  const rows = page.getByRole('table', { name: sessionMessages.list.label }).getByRole('link');
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.first().getAttribute('href')).toContain(waiting.sid());
  await page.getByText(`Started on ${on} (UTC), ${results.running}`).waitFor();
  await page.goBack();
  await press(page, day.getByRole('link', { name: label, exact: true }));
  await expect.poll(() => rows.count()).toBe(2);
});

test('The file of the figures is named after the workflow, the period and the day', async () => {
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/insights?workflow=shop&age=week', server.url).href);
  const download = page.waitForEvent('download');
  await press(page, page.getByRole('button', { name: insightMessages.csv }));
  expect((await download).suggestedFilename()).toMatch(/^insights-shop-last-7-days-\d{4}-\d\d-\d\d\.csv$/);
});

test('a long graph is scrolled with the keys of a page', async () => {
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/workflows/long', server.url).href);
  const area = page.getByRole('group', { name: workflowMessages.page.graphArea });
  const node = (text: string): Locator => page.locator('.react-flow__node').filter({ hasText: text }).first();
  await node('Step 1 of a long way').waitFor();
  await tabTo(page, area);
  const isIn = async (text: string): Promise<boolean> => {
    const [inner, outer] = [await node(text).boundingBox(), await area.boundingBox()];
    if (inner === null || outer === null) return false;
    return inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
  };
  expect(await isIn('Step 200 of a long way')).toBe(false);
  await page.keyboard.press('End');
  await expect.poll(() => isIn('Step 200 of a long way')).toBe(true);
  await page.keyboard.press('PageUp');
  await expect.poll(() => isIn('Step 200 of a long way')).toBe(false);
  await page.keyboard.press('Home');
  await expect.poll(() => isIn('Step 1 of a long way')).toBe(true);
});

test('a workflow is tried, edited and saved', async () => {
  const page = await signIn(await browser.open(), server);
  await goTo(page, 'Review a change', kinds.workflow);
  await chooseTab(page, workflowMessages.page.simulate);
  await press(page, page.getByRole('button', { name: workflowMessages.walk.start }));
  await page.getByText(workflowMessages.walk.ends.completed).waitFor();

  await tabTo(page, page.getByRole('tab', { selected: true }), 'Shift+Tab');
  await chooseTab(page, workflowMessages.page.files(1));
  await press(page, page.getByRole('link', { name: 'review.yaml' }));
  await page.getByText(editorMessages.state.valid).waitFor();
  await tabTo(page, page.getByRole('textbox', { name: editorMessages.text('review.yaml') }));
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# Written with keys alone.\n');
  const save = page.getByRole('button', { name: editorMessages.review });
  await expect.poll(() => save.isEnabled()).toBe(true);
  await tabTo(page, save, 'Shift+Tab');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await press(page, dialog.getByRole('button', { name: editorMessages.save.submit }));
  await page.getByRole('heading', { name: 'Review a change' }).waitFor();
  expect(await readFile(join(place.workflows(), 'review.yaml'), 'utf8')).toContain('with keys alone');
});

test('a workflow is duplicated', async () => {
  const page = await signIn(await browser.open(), server);
  await goTo(page, 'Ship a change', kinds.workflow);
  await press(page, page.getByRole('button', { name: workflowMessages.page.duplicate }));
  const id = page.getByRole('dialog').getByRole('textbox', { name: workflowMessages.page.duplicateId });
  await tabTo(page, id);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('keyed-shop');
  await page.keyboard.press('Enter');
  await page.getByText(editorMessages.state.valid).waitFor();
  expect(new URL(page.url()).searchParams.get('file')).toContain('keyed-shop');
});
