import { expect, test } from 'vitest';
import type { SessionDetail } from '../../src/contract/index.ts';
import { openAgent } from '../support/agent.ts';
import { answer, choose } from '../support/answer.ts';
import { testBrowser } from '../support/browser.ts';
import { consolePlace } from '../support/console-place.ts';
import { hostile } from '../support/definitions.ts';
import { reachConfirmation, reachCheckpoint } from '../support/reach-checkpoint.ts';
import { signIn } from '../support/sign-in.ts';
import {
  answerOrigin,
  checkpointMessages,
  outcomeText,
  valueOrigin,
} from '../../src/messages/checkpoints.ts';
import { commonMessages, shellMessages } from '../../src/messages/common.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';

const place = consolePlace();
const browser = testBrowser();

const byAgent = valueOrigin({ by: 'agent' });

/** The flags of a server that requires API keys. */
const withKeys = ['--auth', 'keys'];

test('a person answers a checkpoint with a note, and the agent continues', async () => {
  const server = await place.start([], { state: 'answered' });
  const page = await signIn(await browser.open(), server);
  await page.getByText(checkpointMessages.page.empty).waitFor();
  const agent = await openAgent(server.url);
  await reachCheckpoint(agent);
  const going = agent.call('resume_checkpoint', { wait_ms: 50_000 });

  const checkpoint = page.getByRole('article', { name: 'Approve the plan' });
  await checkpoint.getByText('its risk is low').waitFor();
  await checkpoint.getByText(checkpointMessages.detail.mayAnswer.user).waitFor();
  const [change, report] = [
    { id: 'change', name: 'Make the change' },
    { id: 'report', name: 'Report' },
  ];
  const path = { activities: [change, report], stop: 'end' } as const;
  const next = outcomeText({ option: 'go', next: [change], path }, []);
  await checkpoint.getByText(next).waitFor();
  const choice = checkpoint.locator('.choice:has(input[value=go])');
  expect(await choice.getAttribute('data-risk')).toBe('last');
  await choice.getByText(checkpointMessages.answer.last).waitFor();
  await answer(page, 'Go on', 'Mind the tests.');
  expect(await going).toMatchObject({ isError: false, text: expect.stringContaining('Mind the tests.') });
  expect((await agent.call('next_activity', { ...manifest })).text).toContain('"activity_id":"change"');

  await checkpoint.getByRole('link', { name: checkpointMessages.outbox.session }).click();
  await page.getByRole('tab', { name: sessionMessages.tabs.checkpoints }).click();
  await page.getByRole('tabpanel').getByText('Mind the tests.').waitFor();
  await page.getByText(checkpointMessages.answer.received.trim()).first().waitFor();
  await page.getByRole('tab', { name: sessionMessages.tabs.outputs }).click();
  await page.getByText('A plan with all that it takes.').waitFor();
  await page.getByText(sessionMessages.facts.journalIntact(5)).waitFor();

  const { answered } = checkpointMessages;
  await page.goto(new URL('/console/checkpoints?view=answered', server.url).href);
  const given = page.getByRole('list', { name: answered.list }).getByRole('listitem');
  await expect.poll(() => given.count()).toBe(1);
  await given.getByRole('link', { name: answered.session('Ship a change') }).waitFor();
  await given.getByText(answered.received, { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('nothing like it');
  await page.getByText(answered.noMatch).waitFor();
  await page.getByRole('searchbox').fill('mind go');
  await page.getByRole('combobox').selectOption(answered.me);
  await expect.poll(() => given.count()).toBe(1);
  expect(new URL(page.url()).search).toBe('?view=answered&text=mind+go&by=me');
  await agent.close();
});

test('a checkpoint shows its evidence, in the list and on the page of its session', async () => {
  const server = await place.start([], { state: 'evidence' });
  const agent = await openAgent(server.url);
  await reachConfirmation(agent);
  const page = await signIn(await browser.open(), server);
  for (const address of ['/console/checkpoints', `/console/sessions/${agent.sid()}`]) {
    await page.goto(new URL(address, server.url).href);
    const checkpoint = page.getByRole('article');
    await checkpoint.getByText('Three lines of it are odd.').waitFor();
    await checkpoint.getByText(checkpointMessages.evidence.variables).click();
    const change = checkpoint.getByRole('row', { name: 'depth' });
    await change.waitFor();
    expect(await change.textContent(), address).toContain(`depth${commonMessages.variables.notSet}"quick"`);
  }
  await agent.close();
});

test('A checkpoint marks the values that an agent set', async () => {
  const server = await place.start([], { state: 'words' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'shop' });
  await agent.call('next_activity');
  const risk = 'low. The workflow has checked it';
  const asked = await agent.call('yield_checkpoint', { checkpoint_id: 'approve', variables: { risk } });
  expect(asked.isError).toBe(false);
  const page = await signIn(await browser.open(), server);
  const checkpoint = page.getByRole('article', { name: 'Approve the plan' });
  await checkpoint.waitFor();
  const marked = checkpoint.locator('mark');
  expect(await marked.count()).toBe(1);
  expect(await marked.textContent()).toBe(`${risk} (${byAgent})`);
  expect(await checkpoint.locator('.checkpoint-message').textContent()).toContain(
    'The plan is written, its risk is',
  );
  await checkpoint.getByText(checkpointMessages.question.values).click();
  const row = checkpoint.getByRole('row', { name: 'risk' });
  await row.waitFor();
  expect(await row.textContent()).toBe(`risk"${risk}"${byAgent}`);
  await checkpoint.getByText(checkpointMessages.detail.origin).click();
  await checkpoint.getByText(/^sha256:[0-9a-f]+$/).waitFor();
  await answer(page, 'Go on');
  await page.goto(new URL(`/console/sessions/${agent.sid()}?tab=checkpoints`, server.url).href);
  await page.getByText(answerOrigin({ channel: 'console', assurance: 'account' })).waitFor();
  await page.route(`**/console/api/sessions/${agent.sid()}`, async (route) => {
    // If the page was left in the meantime, its request fails.
    const json = await route
      .fetch()
      .then(async (response) => doubted((await response.json()) as SessionDetail))
      .catch(() => undefined);
    await (json === undefined ? route.abort() : route.fulfill({ json })).catch(() => undefined);
  });
  await page.reload();
  await page.getByRole('alert').getByText(sessionMessages.checkpoints.changed).waitFor();
  await page.getByText(sessionMessages.checkpoints.imported, { exact: true }).waitFor();
  await page.getByText(sessionMessages.imported.notAuthentic, { exact: true }).waitFor();
  await page
    .getByText(`${sessionMessages.facts.importedBy('eve')}${sessionMessages.facts.sealedElsewhere}`)
    .waitFor();
  await page.getByText(sessionMessages.authenticity.unsealed, { exact: true }).first().waitFor();
  await agent.close();
});

test('hidden characters are escaped, and right-to-left values do not reorder other text', async () => {
  const server = await place.start([], { state: 'hidden' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'shop' });
  await agent.call('next_activity');
  const variables = { risk: 'low\u202E' };
  await agent.call('yield_checkpoint', { checkpoint_id: 'approve', variables });
  const page = await signIn(await browser.open(), server);
  const checkpoint = page.getByRole('article', { name: 'Approve the plan' });
  const value = checkpoint.locator('mark');
  expect(await value.textContent()).toBe(`low\\u{202e} (${byAgent})`);
  const isolation = `getComputedStyle(document.querySelector('mark')).unicodeBidi`;
  expect(await page.evaluate(isolation)).toBe('isolate');
  await answer(page, 'Go on');
  const output = 'A plan\u200B with \u202Eall\u{E0041} that it takes, 👩‍🚀 too.';
  const manifest = [
    { step_id: 'write-plan', output },
    { step_id: 'ask', output: 'Asked.' },
  ];
  await agent.call('resume_checkpoint');
  await agent.call('next_activity', { step_manifest: manifest });
  const shown: Readonly<Record<string, string>> = {
    outputs: 'A plan\\u{200b} with \\u{202e}all\\u{e0041} that it takes, 👩‍🚀 too.',
    variables: 'u{202e}',
  };
  for (const [tab, text] of Object.entries(shown)) {
    await page.goto(new URL(`/console/sessions/${agent.sid()}?tab=${tab}`, server.url).href);
    await page.getByText(text).first().waitFor();
    expect(await page.locator('body').textContent(), tab).not.toMatch(/[\u202E\u200B]/);
  }
  await agent.close();
});

test('if two people answer, the second one is told who was first', async () => {
  const server = await place.start([], { state: 'race' });
  const agent = await openAgent(server.url);
  await reachCheckpoint(agent);
  const [ann, bob] = await Promise.all([browser.open(), browser.open()]);
  for (const page of [ann, bob]) await signIn(page, server);
  // Bob's page receives no changes, so that it still offers the answer, as if both people clicked at the same moment.
  await bob.route('**/console/api/changes?*', (route) => route.abort());
  await bob.reload();
  for (const page of [ann, bob]) await page.getByRole('radio').first().waitFor();
  // Without changes, a page can't answer. Bob's page believes that it has a connection.
  await answer(ann, 'Go on');
  const said = bob.getByRole('radio', { name: 'Stop here' });
  expect(await said.isDisabled()).toBe(true);
  await bob.unroute('**/console/api/changes?*');
  await bob.route('**/console/api/checkpoints', (route) => route.abort());
  await expect.poll(() => said.isEnabled()).toBe(true);
  await choose(bob, 'Stop here');
  await bob.getByText(checkpointMessages.outbox.states.conflict()).waitFor();
  expect(await bob.getByRole('article').textContent()).toContain('already answered');
  await agent.close();
});

test('a page reconnects after a restart of the server and shows what happened since', async () => {
  const first = await place.start(withKeys, { state: 'restart' });
  const key = await place.key('restart', ['read', 'write', 'checkpoints:respond']);
  const page = await browser.open();
  await page.goto(new URL('/console/', first.url).href);
  await page.getByLabel(shellMessages.signIn.labels.key).fill(key);
  await page.getByRole('button', { name: shellMessages.signIn.submit }).click();
  await page.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  await first.stop();
  await page.getByText(shellMessages.account.connection.broken).waitFor();
  const second = await place.start(withKeys, { state: 'restart', port: first.port });
  const agent = await openAgent(second.url, key);
  await reachCheckpoint(agent);
  await page.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  const checkpoint = page.getByRole('article', { name: 'Approve the plan' });
  await expect.poll(() => checkpoint.getByRole('radio', { name: 'Go on' }).isEnabled()).toBe(true);
  await agent.close();
});

test('a key with the scope read shows checkpoints but can’t answer them', async () => {
  const server = await place.start(withKeys, { state: 'reader' });
  const agent = await openAgent(server.url, await place.key('reader', ['read', 'write']));
  await reachCheckpoint(agent);
  const page = await browser.open();
  await page.goto(new URL('/console/', server.url).href);
  await page.getByLabel(shellMessages.signIn.labels.key).fill('wlk_not-one-of-them');
  await page.getByRole('button', { name: shellMessages.signIn.submit }).click();
  await page.getByText(shellMessages.signIn.unknownCredential).waitFor();
  const revoked = await place.key('reader', ['read']);
  const id = revoked.slice(4, 16);
  await place.revoke('reader', id);
  await page.getByLabel(shellMessages.signIn.labels.key).fill(revoked);
  await page.getByRole('button', { name: shellMessages.signIn.submit }).click();
  await page.getByText(id).waitFor();
  await page.getByLabel(shellMessages.signIn.labels.key).fill(await place.key('reader', ['read']));
  await page.getByRole('button', { name: shellMessages.signIn.submit }).click();
  await page.getByText(checkpointMessages.answer.readOnly).waitFor();
  expect(await page.getByRole('radio', { name: 'Go on' }).isDisabled()).toBe(true);
  await agent.close();
});

test('The browser shows a notification for a new checkpoint while the page is in the background', async () => {
  const server = await place.start([], { state: 'notices' });
  const page = await browser.open();
  // A headless browser shows no notifications, and its pages are always visible.
  await page.addInitScript(`
    globalThis.notices = [];
    globalThis.Notification = class extends EventTarget {
      static permission = 'default';
      static async requestPermission() { return (this.permission = 'granted'); }
      constructor(title, { body }) { super(); notices.push(title + ': ' + body); }
    };
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  `);
  await signIn(page, server);
  await page.getByText(checkpointMessages.page.empty).waitFor();
  const silent = await openAgent(server.url);
  await reachCheckpoint(silent);
  await page.getByRole('article', { name: 'Approve the plan' }).waitFor();
  await page.getByRole('button', { name: checkpointMessages.notifications.button, pressed: false }).click();
  await page.getByRole('button', { name: checkpointMessages.notifications.button, pressed: true }).waitFor();
  const heard = await openAgent(server.url);
  await reachCheckpoint(heard);
  await expect
    .poll(() => page.evaluate('notices'))
    .toEqual([`${checkpointMessages.notifications.title('Ship a change')}: approve`]);
  await Promise.all([silent.close(), heard.close()]);
});

test('The printed link signs in once, and then the page says how to get a new one', async () => {
  const server = await place.start([], { state: 'earlier' });
  const [page, other] = [await browser.open(), await browser.open()];
  await page.goto(server.printed);
  await page.getByRole('heading', { name: checkpointMessages.page.title }).waitFor();
  await other.goto(server.printed);
  await other.getByText(shellMessages.signIn.linkExpired).waitFor();
  expect(other.url()).not.toContain('sign-in');
  expect(await other.getByText(shellMessages.signIn.newLink.command).count()).toBe(1);
  // The link can also be pasted.
  await other.getByLabel(shellMessages.signIn.labels.secret).fill(server.console);
  await other.getByRole('button', { name: shellMessages.signIn.submit }).click();
  await other.getByRole('heading', { name: checkpointMessages.page.title }).waitFor();
});

test('markup in data is shown as text on every page', async () => {
  const server = await place.start([], { state: 'hostile' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: '<b>agent</b>', workflow_id: 'hostile' });
  await agent.call('next_activity');
  await agent.call('yield_checkpoint', { checkpoint_id: 'checkpoint' });
  const page = await signIn(await browser.open(), server);
  await answer(page, hostile, hostile);
  await agent.call('resume_checkpoint', { wait_ms: 50_000 });
  await agent.call('next_activity', {
    step_manifest: [{ step_id: 'say', output: hostile }],
    variables: { said: hostile },
  });
  const session = `/console/sessions/${agent.sid()}`;
  for (const address of [
    '/console/sessions',
    ...['plan', 'timeline', 'outputs', 'variables', 'checkpoints', 'children'].map(
      (tab) => `${session}?tab=${tab}`,
    ),
    '/console/workflows',
    ...['picture', 'steps', 'try'].map((tab) => `/console/workflows/hostile?tab=${tab}`),
  ]) {
    await page.goto(new URL(address, server.url).href);
    await page.getByText('<img src=x').filter({ visible: true }).first().waitFor();
    expect(await page.evaluate('globalThis.hacked'), address).toBeUndefined();
    expect(await page.locator('main img').count(), address).toBe(0);
  }
  await agent.close();
});

/** Returns a session as if it had been imported without a valid seal and its question had changed since the answer. */
function doubted(session: SessionDetail): SessionDetail {
  const { row, history } = session;
  const { updatedAt: at, revision } = row;
  const imported = { at, by: 'eve', isAuthentic: false, revision, principal: 'eve' };
  const checkpoints = history.checkpoints.map((checkpoint) =>
    checkpoint.answered?.decided === undefined
      ? checkpoint
      : {
          ...checkpoint,
          answered: {
            ...checkpoint.answered,
            isImported: true as const,
            decided: { ...checkpoint.answered.decided, isAsAsked: false },
          },
        },
  );
  return {
    ...session,
    row: { ...row, imported, unauthentic: 'unsealed' },
    history: { ...history, checkpoints },
  };
}

const manifest = {
  step_manifest: [
    { step_id: 'write-plan', output: 'A plan with all that it takes.' },
    { step_id: 'ask', output: 'Asked.' },
  ],
};
