import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { CheckpointsReply } from '../../src/contract/index.ts';
import { answerOrigin, checkpointMessages } from '../../src/messages/checkpoints.ts';
import { shellMessages } from '../../src/messages/common.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';
import type { Agent } from '../support/agent.ts';
import { openAgent } from '../support/agent.ts';
import { answer, hold } from '../support/answer.ts';
import { testBrowser } from '../support/browser.ts';
import { consolePlace } from '../support/console-place.ts';
import { reachCheckpoint } from '../support/reach-checkpoint.ts';
import { signIn } from '../support/sign-in.ts';
import { isLong } from '../../../../test/support/is-long.ts';
import { waitMany } from '../support/start-many.ts';

const place = consolePlace();
const browser = testBrowser();

const { page: texts, outbox, answer: form, list, refused } = checkpointMessages;

/** Starts sessions that wait at a checkpoint, one after the other. */
async function waiting(url: string, count: number): Promise<readonly Agent[]> {
  const agents: Agent[] = [];
  for (let at = 0; at < count; at += 1) {
    const agent = await openAgent(url);
    await reachCheckpoint(agent);
    agents.push(agent);
  }
  return agents;
}

const rowsOf = (page: Page) => page.getByRole('list', { name: list.label }).getByRole('link');

/** Records how much the layout shifts, whether the user did something or not. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    globalThis.shifts = [];
    new PerformanceObserver((entries) => shifts.push(...entries.getEntries().map((entry) => entry.value)))
      .observe({ type: 'layout-shift', buffered: false });
  `);
  return () => page.evaluate<number>('shifts.reduce((sum, value) => sum + value, 0)');
}

test('nothing moves while a person types and checkpoints come and go', async () => {
  const server = await place.start([], { state: 'still' });
  const agents = await waiting(server.url, 4);
  const page = await signIn(await browser.open({ viewport: { width: 1360, height: 900 } }), server);
  await rowsOf(page).nth(3).waitFor();
  const note = page.getByRole('textbox', { name: form.note });
  await note.waitFor();
  const shifts = await watchShifts(page);
  const places = () =>
    page.evaluate<readonly unknown[]>(
      '[...document.querySelectorAll(".inbox-row")].map((row) => [row.getAttribute("href"), row.getBoundingClientRect().y])',
    );
  const before = await places();
  expect(before).toHaveLength(4);
  await note.pressSequentially('The first half of a note, ');
  const more = await waiting(server.url, 2);
  await page.getByRole('button', { name: texts.fresh(2) }).waitFor();
  // Another client answers one of the checkpoints.
  await agents[1]?.call('respond_checkpoint', { option_id: 'go' });
  await page.getByText(list.states('gone'), { exact: true }).waitFor();
  await note.pressSequentially('and the second half.');
  expect(await places()).toEqual(before);
  expect(await shifts()).toBe(0);
  expect(await note.inputValue()).toBe('The first half of a note, and the second half.');

  await page.getByRole('button', { name: texts.fresh(2) }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(5);
  expect(await note.inputValue()).toBe('The first half of a note, and the second half.');
  await Promise.all([...agents, ...more].map((agent) => agent.close()));
});

test('A checkpoint shows the refused calls of the agent, and first those that would bypass it', async () => {
  const server = await place.start([], { state: 'refused' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'shop' });
  await agent.call('next_activity');
  await agent.call('next_activity', { activity_id: 'report' });
  for (const id of ['one', 'two', 'three']) await agent.call('yield_checkpoint', { checkpoint_id: id });
  await agent.call('yield_checkpoint', { checkpoint_id: 'approve' });
  await agent.call('respond_checkpoint', { option_id: 'neither' });
  const page = await signIn(await browser.open(), server);
  const notice = page.getByRole('group', { name: refused.title(5) });
  await notice.waitFor();
  const { calls, events } = sessionMessages;
  const lines = await notice.getByRole('listitem').allTextContents();
  // The attempt to skip the checkpoint is the oldest of the five.
  expect(lines.map((line) => line.split('. ')[0])).toEqual(
    [calls.answer, calls.yield, calls.move].map((call) => events.refused(call, undefined)),
  );
  await notice.getByText(refused.more(2)).waitFor();
  await notice.getByRole('link', { name: refused.timeline }).click();
  const entries = page.getByRole('list', { name: sessionMessages.timeline.label });
  await expect.poll(() => entries.getByText(events.refused('', 'Plan the change')).count()).toBe(5);
  await agent.close();
});

test('A call that is refused while a person writes is shown, and neither the message nor the options move', async () => {
  const server = await place.start([], { state: 'refused later' });
  const [agent] = await waiting(server.url, 1);
  const page = await browser.open({ viewport: { width: 1360, height: 900 } });
  await page.clock.install();
  await signIn(page, server);
  const note = page.getByRole('textbox', { name: form.note });
  await note.pressSequentially('A note, ');
  const notice = page.locator('.refused-calls');
  expect(await notice.count()).toBe(0);
  const places = () =>
    page.evaluate<readonly number[]>(
      "[...document.querySelectorAll('.inbox-row, .checkpoint h2, .checkpoint-message, .choice, .answer textarea')].map((one) => one.getBoundingClientRect().y)",
    );
  const before = await places();
  expect(before).toHaveLength(6);
  expect(await agent?.call('next_activity', { activity_id: 'report' })).toMatchObject({ isError: true });
  await page.clock.fastForward(11_000);
  await page.getByRole('group', { name: refused.title(1) }).waitFor();
  await note.pressSequentially('and its end.');
  expect(await places()).toEqual(before);
  const lines = await notice.getByRole('listitem').allTextContents();
  expect(await agent?.call('respond_checkpoint', { option_id: 'neither' })).toMatchObject({ isError: true });
  await page.clock.fastForward(11_000);
  await page.getByRole('group', { name: refused.title(2) }).waitFor();
  expect(await notice.getByRole('listitem').allTextContents()).toEqual(lines);
  expect(await places()).toEqual(before);
  expect(await note.inputValue()).toBe('A note, and its end.');
  await agent?.close();
});

test('An answer can be undone for a few seconds, and is not lost when the page is closed', async () => {
  const server = await place.start([], { state: 'undo' });
  const [first, second] = await waiting(server.url, 2);
  const page = await signIn(await browser.open(), server);
  await hold(page, 'Go on', 'Mind the tests.');
  await page.getByRole('button', { name: outbox.takeBack }).click();
  const note = page.getByRole('textbox', { name: form.note });
  expect(await note.inputValue()).toBe('Mind the tests.');
  // The message is only in the checkpoint that the person sees.
  await page.getByRole('article').getByText(outbox.takenBack).waitFor();
  expect(await page.getByText(outbox.takenBack).count()).toBe(1);
  const rowsText = () => rowsOf(page).allTextContents();
  expect(await rowsText()).toEqual([
    expect.stringContaining(list.draft),
    expect.not.stringContaining(list.draft),
  ]);
  for (const text of await rowsText()) expect(text).toContain(list.agent('shipper'));
  expect((await first?.call('get_workflow_status'))?.text).toContain('"status":"blocked"');

  await page.reload();
  expect(await note.inputValue()).toBe('Mind the tests.');
  expect(await page.getByRole('radio', { name: 'Go on' }).isChecked()).toBe(true);

  await hold(page, 'Go on');
  await page.close();
  const resumed = await first?.call('resume_checkpoint', { wait_ms: 20_000 });
  expect(resumed).toMatchObject({ isError: false, text: expect.stringContaining('Mind the tests.') });

  const other = await signIn(await browser.open(), server);
  await hold(other, 'Go on', 'Ship it today.');
  // After a few seconds, the answer is sent automatically.
  await other.getByText(outbox.states.sent('Go on')).waitFor();
  await other.getByRole('article').getByText(outbox.note('Ship it today.')).waitFor();
  // The agent has not made a call since the answer, so the page shows the time of its last call.
  await other.getByRole('article').getByText(form.lastCall).getByRole('time').first().waitFor();
  expect(await second?.call('resume_checkpoint')).toMatchObject({ isError: false });
  await first?.close();
  await second?.close();
});

test('an option can require a note, or a confirmation', async () => {
  const server = await place.start([], { state: 'careful' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'careful' });
  await agent.call('next_activity');
  expect(await agent.call('yield_checkpoint', { checkpoint_id: 'publish' })).toMatchObject({
    isError: false,
  });
  const page = await signIn(await browser.open(), server);
  const riskOf = (option: string) =>
    page.locator(`.choice:has(input[value=${option}])`).getAttribute('data-risk');
  expect(await riskOf('publish')).toBe('irreversible');
  expect(await riskOf('change')).toBeNull();
  await page.getByRole('radio', { name: 'Change it' }).check();
  await page.getByRole('button', { name: form.send('Change it') }).click();
  await page.getByText(form.noteMissing).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  expect(await page.getByRole('button', { name: outbox.takeBack }).count()).toBe(0);

  await page.getByRole('radio', { name: /^Publish/ }).check();
  await page.getByRole('button', { name: form.send('Publish') }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText(form.confirmSession('Publish with care', 'Publish it?')).waitFor();
  const focused = () => page.evaluate('document.activeElement.textContent');
  await expect.poll(focused).toBe(form.cancel);
  await dialog.getByRole('button', { name: form.cancel }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: outbox.takeBack }).count()).toBe(0);
  await page.getByRole('button', { name: form.send('Publish') }).click();
  await dialog.getByRole('button', { name: form.confirm('Publish') }).click();
  await page.getByText(outbox.irreversible.held).waitFor();
  await page.getByRole('button', { name: outbox.sendNow }).click();
  await page.getByText(outbox.states.sent('Publish')).waitFor();
  await page.getByText(outbox.irreversible.sent).waitFor();
  await agent.close();
});

test('An answered checkpoint is not counted, and its message covers nothing and disappears', async () => {
  const server = await place.start([], { state: 'counted' });
  const agents = await waiting(server.url, 3);
  const page = await signIn(await browser.open({ viewport: { width: 1360, height: 900 } }), server);
  await page.getByText(texts.count(3, 3), { exact: true }).waitFor();
  await answer(page, 'Stop here', 'Not on a Friday.');
  await page.getByText(texts.count(2, 2), { exact: true }).waitFor();
  expect(await page.getByRole('article').textContent()).toContain(
    checkpointMessages.detail.answered('Stop here'),
  );
  await page.keyboard.press('u');
  await page.getByText(outbox.alreadySent('Stop here')).waitFor();
  await rowsOf(page).nth(1).click();
  const message = page.getByRole('region', { name: outbox.title });
  const sent = message.getByText(outbox.states.sent('Stop here'));
  await sent.waitFor();
  const [over, main] = await Promise.all([message.boundingBox(), page.locator('main').boundingBox()]);
  expect((over?.x ?? 0) + (over?.width ?? 0)).toBeLessThanOrEqual(main?.x ?? 0);
  await sent.waitFor({ state: 'detached', timeout: 10_000 });
  await rowsOf(page).first().click();
  await page.getByRole('article').getByText(outbox.states.sent('Stop here')).waitFor();

  // The agent answers after the page has fetched the list, and before the server reports changes to it.
  let connect = (): void => undefined;
  const connected = new Promise<void>((resolve) => (connect = resolve));
  await page.route('**/changes?*', async (route) => connected.then(() => route.continue()));
  await page.reload();
  await page.getByText(texts.count(2, 2), { exact: true }).waitFor();
  // The address names the answered checkpoint, so no other one is shown in its place.
  await page.getByText(texts.notWaiting).waitFor();
  expect(await page.getByRole('article').count()).toBe(0);
  await rowsOf(page).first().click();
  await page.getByRole('article').getByRole('radio').first().waitFor();
  await agents[1]?.call('respond_checkpoint', { option_id: 'go' });
  connect();
  await page.getByText(outbox.states.sent('Go on')).waitFor();
  await page.getByText(checkpointMessages.answered.by('the agent')).waitFor();
  // The list contains the answers of people, but not those of agents.
  await page.getByRole('button', { name: checkpointMessages.answered.view, exact: true }).click();
  const decided = page.getByRole('list', { name: checkpointMessages.answered.list }).getByRole('listitem');
  await decided.first().waitFor();
  expect(await decided.count()).toBe(1);
  const text = await decided.textContent();
  for (const part of ['Approve the plan', 'Stop here', 'Not on a Friday.', 'Ship a change'])
    expect(text).toContain(part);
  await decided.getByRole('link', { name: 'Ship a change' }).click();
  await page.waitForURL(`**/console/sessions/${agents[0]?.sid()}`);
  await Promise.all(agents.map((agent) => agent.close()));
});

test('The page of a session shows where a decision sends it back to, and the mouse wheel scrolls over its tabs', async () => {
  const server = await place.start([], { state: 'back' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'careful' });
  await agent.call('next_activity');
  await agent.call('yield_checkpoint', { checkpoint_id: 'publish' });
  const page = await signIn(await browser.open({ viewport: { width: 1360, height: 500 } }), server);
  await answer(page, 'Do it again');
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  await page.getByText(sessionMessages.facts.decidedNext('Publish', true)).waitFor();
  await page.getByRole('tab').first().hover();
  // The graph of the plan makes the page long enough to scroll.
  await page.locator('.react-flow__node').first().waitFor();
  const scrolled = () => page.evaluate<number>('scrollY');
  const before = await scrolled();
  await page.mouse.wheel(0, 30);
  await expect.poll(scrolled).toBeGreaterThan(before);

  // A click on a tab does not scroll the page, but a link to refused calls scrolls to the tabs.
  const timeline = page.getByRole('tab', { name: sessionMessages.tabs.timeline });
  await timeline.click();
  await expect.poll(() => timeline.getAttribute('aria-selected')).toBe('true');
  await page.waitForTimeout(300);
  expect(await scrolled()).toBeGreaterThan(0);
  const address = `/console/sessions/${agent.sid()}?tab=timeline&show=refused`;
  await page.goto(new URL(address, server.url).href);
  await timeline.waitFor();
  await expect.poll(scrolled).toBeGreaterThan(0);
  await agent.close();
});

test('a person can answer with the keyboard alone', async () => {
  const server = await place.start([], { state: 'keys' });
  const agents = await waiting(server.url, 3);
  const page = await signIn(await browser.open(), server);
  await rowsOf(page).nth(2).waitFor();
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press('?');
  await page.getByRole('dialog').getByText(checkpointMessages.keys.next).waitFor();
  const groups = await page.getByRole('dialog').getByRole('heading', { level: 3 }).allTextContents();
  expect(new Set(groups).size).toBe(groups.length);
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press('j', 'j', 'k');
  await expect.poll(() => rowsOf(page).nth(1).getAttribute('aria-current')).not.toBeNull();
  expect(await rowsOf(page).nth(2).getAttribute('aria-current')).toBeNull();
  await page.getByRole('radio').first().waitFor();
  await press('2');
  expect(await page.getByRole('radio', { name: 'Stop here' }).isChecked()).toBe(true);
  await press('n');
  await page.keyboard.type('12 is no key here');
  expect(await page.getByRole('textbox', { name: form.note }).inputValue()).toBe('12 is no key here');
  await press('Control+Enter');
  await page.getByRole('button', { name: outbox.takeBack }).waitFor();
  await press('u');
  await page.getByRole('textbox', { name: form.note }).waitFor();
  await press('1', 'Control+Enter');
  await page.getByText(outbox.states.sent('Go on')).waitFor();
  expect(await agents[1]?.call('resume_checkpoint')).toMatchObject({ isError: false });
  await Promise.all(agents.map((agent) => agent.close()));
});

test('The keys for scrolling scroll the checkpoint, unless the focused element uses them', async () => {
  const server = await place.start([], { state: 'pages' });
  const agents = await waiting(server.url, 2);
  const page = await signIn(await browser.open({ viewport: { width: 1360, height: 900 } }), server);
  await rowsOf(page).nth(1).click();
  const question = page.locator('.checkpoint-body');
  await question.waitFor();
  await page.evaluate("document.querySelector('.checkpoint-message').style.minHeight = '3000px'");
  const scrolled = () => question.evaluate((area) => (area as unknown as { scrollTop: number }).scrollTop);
  /** Presses a key, and returns where the question was before. */
  const press = async (key: string): Promise<number> => {
    const before = await scrolled();
    await page.keyboard.press(key);
    return before;
  };
  // The focus is in the list, on the row of the checkpoint.
  await press('PageDown');
  expect(await scrolled()).toBeGreaterThan(0);
  const first = await press('Space');
  expect(await scrolled()).toBeGreaterThan(first);
  const second = await press('Shift+Space');
  expect(await scrolled()).toBeLessThan(second);
  const third = await press('PageUp');
  expect(await scrolled()).toBeLessThan(third);

  const option = page.getByRole('radio', { name: 'Stop here' });
  await option.focus();
  const fourth = await press('Space');
  expect(await scrolled()).toBe(fourth);
  expect(await option.isChecked()).toBe(true);
  await press('PageDown');
  expect(await scrolled()).toBeGreaterThan(fourth);
  const note = page.getByRole('textbox', { name: form.note });
  await note.focus();
  const fifth = await press('Space');
  expect(await scrolled()).toBe(fifth);
  expect(await note.inputValue()).toBe(' ');
  await Promise.all(agents.map((agent) => agent.close()));
});

test('A person can return to a checkpoint that they answered', async () => {
  const server = await place.start([], { state: 'way-back' });
  const agents = await waiting(server.url, 2);
  const page = await signIn(await browser.open({ viewport: { width: 1360, height: 900 } }), server);
  await rowsOf(page).nth(1).waitFor();
  await answer(page, 'Stop here');
  await page.getByRole('button', { name: texts.next }).click();
  const article = page.getByRole('article');
  await article.getByRole('radio').first().waitFor();
  const seeAnswer = async (): Promise<void> => {
    await article.getByText(outbox.states.sent('Stop here')).waitFor();
    await article.getByText('its risk is low').waitFor();
    await article.getByText(origin).waitFor();
  };
  const origin = answerOrigin({ channel: 'console', assurance: 'account' });
  const sid = agents[0]?.sid() ?? '';
  // Both rows have the same title.
  for (const [at, agent] of agents.entries())
    await rowsOf(page)
      .nth(at)
      .getByText(list.session(agent.sid().slice(0, 8)))
      .waitFor();
  await page.getByRole('region', { name: outbox.title }).getByRole('link', { name: 'Approve' }).click();
  await seeAnswer();
  expect(new URL(page.url()).searchParams.get('sid')).toBe(sid);

  // The answered checkpoint can still be opened after its row was removed from the list.
  await page.getByRole('button', { name: texts.removeGone(1) }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(1);
  const { answered } = checkpointMessages;
  await page.getByRole('button', { name: answered.view, exact: true }).click();
  const link = page
    .getByRole('list', { name: answered.list })
    .getByRole('heading', { name: 'Approve the plan' })
    .getByRole('link');
  await link.click();
  await seeAnswer();

  // After a reload, the page shows only the answer. So does another tab.
  await page.reload();
  await page.getByText(origin).waitFor();
  await page.getByRole('link', { name: texts.answers }).click();
  await page.waitForURL(`**/console/sessions/${sid}?tab=checkpoints`);
  await page.goto(new URL('/console/checkpoints?view=answered', server.url).href);
  await link.click();
  await page.waitForURL(`**/console/sessions/${sid}?tab=checkpoints`);
  await page.getByRole('list', { name: sessionMessages.checkpoints.list }).getByText('Stop here').waitFor();
  await Promise.all(agents.map((agent) => agent.close()));
});

test('A session that was sent back shows what has to be done again', async () => {
  const activity = (id: string, more: object) => ({ id, version: '1.0.0', name: `Name of ${id}`, ...more });
  const options = [
    { id: 'ship', label: 'Ship it', effect: { transitionTo: 'ship' } },
    { id: 'back', label: 'Build it again', effect: { transitionTo: 'build' } },
  ];
  const files = {
    'workflow.json': { id: 'sent-back', version: '1.0.0', title: 'Sent back', description: 'A loop.' },
    'activities/01-build.json': activity('build', {
      steps: [{ id: 'make' }],
      transitions: [{ to: 'look', isDefault: true }],
    }),
    'activities/02-look.json': activity('look', {
      steps: [{ id: 'ask', checkpoint: 'well' }],
      checkpoints: [{ id: 'well', name: 'Well?', message: 'Is it good?', options }],
      transitions: [{ to: 'ship', isDefault: true }],
    }),
    'activities/03-ship.json': activity('ship', { steps: [{ id: 'send' }] }),
  };
  const folder = join(place.workflows(), 'sent-back');
  await mkdir(join(folder, 'activities'), { recursive: true });
  for (const [path, content] of Object.entries(files))
    await writeFile(join(folder, path), JSON.stringify(content));
  const server = await place.start([], { state: 'sent-back' });
  const agent = await openAgent(server.url);
  const submit = (step: string) =>
    agent.call('next_activity', { step_manifest: [{ step_id: step, output: 'Done.' }] });
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'sent-back' });
  await agent.call('next_activity');
  await submit('make');
  await agent.call('yield_checkpoint', { checkpoint_id: 'well' });
  const page = await signIn(await browser.open(), server);
  await answer(page, 'Build it again');
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  const { facts, plan } = sessionMessages;
  const states = () => page.getByRole('list', { name: plan.list }).locator('.tag').allTextContents();
  await page.getByText(facts.progressOf(0, 3)).waitFor();
  expect(await states()).toEqual([plan.again, 'current', 'planned']);
  await agent.call('resume_checkpoint');
  expect(await submit('ask')).toMatchObject({ isError: false });
  await expect.poll(states).toEqual(['current', plan.again, 'planned']);
  await page.getByText(facts.again(1)).waitFor();
  await page.goto(new URL('/console/sessions', server.url).href);
  await page.getByText('0/3').waitFor();
  await agent.close();
});

test('Nobody can answer while the connection is lost, and an earlier answer is sent later', async () => {
  const server = await place.start([], { state: 'offline' });
  const [agent] = await waiting(server.url, 1);
  const page = await signIn(await browser.open(), server);
  const option = page.getByRole('radio', { name: 'Go on' });
  await option.check();
  await page.context().setOffline(true);
  await page.getByText(shellMessages.account.offline).waitFor();
  expect(await option.isDisabled()).toBe(true);
  await page.context().setOffline(false);
  await expect.poll(() => option.isEnabled()).toBe(true);

  await page.getByRole('button', { name: form.send('Go on') }).click();
  await page.route('**/console/api/sessions/*/answer', (route) => route.abort());
  await page.getByRole('button', { name: outbox.sendNow }).click();
  await page.getByText(outbox.states.unreachable('Go on')).waitFor();
  await page.unroute('**/console/api/sessions/*/answer');
  await page.getByRole('button', { name: outbox.retry }).click();
  await page.getByText(outbox.states.sent('Go on')).waitFor();
  await agent?.close();
});

test('signing out in one tab signs out the others', async () => {
  const server = await place.start([], { state: 'tabs' });
  const page = await signIn(await browser.open(), server);
  const other = await page.context().newPage();
  await other.goto(new URL('/console/checkpoints', server.url).href);
  await other.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  await page.getByRole('button', { name: shellMessages.account.signOut }).click();
  const signedOut = other.getByRole('heading', { name: shellMessages.signIn.title });
  await expect.poll(() => signedOut.count(), { timeout: 5000 }).toBe(1);
});

test('a long title in the list takes two lines, and no row moves', async () => {
  const server = await place.start([], { state: 'titles' });
  const agents = await waiting(server.url, 2);
  const page = await browser.open({ viewport: { width: 390, height: 844 } });
  const title = 'Reset a password by a link in a mail once';
  await page.route('**/console/api/checkpoints', async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as CheckpointsReply;
    const [first, ...rest] = reply.checkpoints;
    const timerEndsAt = new Date(Date.now() + 600_000).toISOString();
    const long = first && { ...first, timerEndsAt, session: { ...first.session, subject: title } };
    await route.fulfill({ response, json: { ...reply, checkpoints: [long, ...rest] } });
  });
  await signIn(page, server);
  const shown = rowsOf(page).first().getByText(title);
  await shown.waitFor();
  await rowsOf(page).first().getByText(list.urgent).waitFor();
  expect(await rowsOf(page).nth(1).getByText(list.urgent).count()).toBe(0);
  const heights = await page.evaluate<readonly (readonly number[])[]>(
    `[...document.querySelectorAll('.inbox-row')].map((row) =>
      [row, ...row.children].map((one) => one.getBoundingClientRect().height))`,
  );
  const [[longRow = 0, longName = 0] = [], [row, name = 0] = []] = heights;
  expect(longRow).toBe(row);
  expect(longName).toBeGreaterThan(1.8 * name);
  expect(await page.evaluate(`document.querySelector('.inbox-name').scrollHeight`)).toBe(longName);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await Promise.all(agents.map((agent) => agent.close()));
});

test('filters, order and groups are in the address of the page', async () => {
  const server = await place.start([], { state: 'filters' });
  const agents = await waiting(server.url, 2);
  const page = await signIn(await browser.open(), server);
  await page.getByText(checkpointMessages.filters.more(undefined)).click();
  await page.getByText(texts.count(2, 2), { exact: true }).waitFor();
  await page.getByLabel(checkpointMessages.filters.order).selectOption('urgent');
  await page.getByText(texts.noneUrgent(texts.count(2, 2)), { exact: true }).waitFor();
  await page.getByLabel(checkpointMessages.filters.order).selectOption('');
  await page.getByLabel(checkpointMessages.filters.group).selectOption('agent');
  await page.getByText('shipper', { exact: true }).waitFor();
  await page.getByLabel(checkpointMessages.filters.search).fill('nothing like it');
  await page.getByText(list.none).waitFor();
  expect(new URL(page.url()).searchParams.get('text')).toBe('nothing like it');
  await page.reload();
  await page.getByText(list.none).waitFor();
  // Clearing the filters keeps the order and the groups.
  await page.getByRole('button', { name: checkpointMessages.filters.clear }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  expect(new URL(page.url()).search).toBe('?group=agent');
  await page.getByLabel(checkpointMessages.filters.search).fill('APPROVE shipper');
  await expect.poll(() => rowsOf(page).count()).toBe(2);
  await Promise.all(agents.map((agent) => agent.close()));
});

test('the button for the next checkpoint opens the one below the answered checkpoint', async () => {
  const server = await place.start([], { state: 'below' });
  const agents = await waiting(server.url, 3);
  const page = await signIn(await browser.open(), server);
  await rowsOf(page).nth(2).waitFor();
  const shown = (): Promise<number> =>
    page.evaluate<number>(
      "[...document.querySelectorAll('.inbox-row')].findIndex((row) => row.hasAttribute('aria-current'))",
    );
  await rowsOf(page).nth(1).click();
  await answer(page, 'Go on');
  await page.getByRole('button', { name: texts.next }).click();
  await expect.poll(shown).toBe(2);
  await Promise.all(agents.map((agent) => agent.close()));
});

test('on a phone, the list and the chosen checkpoint take turns', async () => {
  const server = await place.start([], { state: 'phone' });
  const agents = await waiting(server.url, 2);
  const page = await signIn(await browser.open({ viewport: { width: 390, height: 844 } }), server);
  await rowsOf(page).nth(1).waitFor();
  expect(await page.getByRole('article').filter({ visible: true }).count()).toBe(0);
  await rowsOf(page).nth(1).click();
  await answer(page, 'Go on');
  await page.getByRole('button', { name: texts.next }).click();
  await page.getByRole('button', { name: texts.back }).waitFor();
  await page.getByRole('radio').first().waitFor();
  await page.getByRole('button', { name: texts.back }).click();
  await rowsOf(page).first().waitFor();
  expect(await agents[1]?.call('resume_checkpoint')).toMatchObject({ isError: false });
  await Promise.all(agents.map((agent) => agent.close()));
});

const many = isLong ? 1000 : 200;

test(`The page renders the visible ones of ${many} waiting checkpoints, and reads only the chosen one`, async () => {
  const server = await place.start(['--rate-limit', '0'], { state: 'many' });
  await waitMany(server.url, many);
  const page = await signIn(await browser.open({ viewport: { width: 1360, height: 900 } }), server);
  const read: string[] = [];
  page.on('request', (request) => read.push(new URL(request.url()).pathname));
  await page.goto(new URL('/console/checkpoints', server.url).href);
  await page.getByText(texts.count(many, many), { exact: true }).waitFor();
  await page.getByRole('radio').first().waitFor();
  expect(await rowsOf(page).count()).toBeLessThan(40);
  const ofCheckpoints = new Set(read.filter((path) => path.startsWith('/console/api/checkpoints')));
  expect([...ofCheckpoints].toSorted()).toEqual([
    '/console/api/checkpoints',
    expect.stringMatching(/^\/console\/api\/checkpoints\/[\w-]+$/),
  ]);
}, 300_000);
