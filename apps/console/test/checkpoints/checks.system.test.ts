import { evidenceTexts } from '@workflowlookup/schema';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeGitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import { checkpointMessages } from '../../src/messages/checkpoints.ts';
import { shellMessages } from '../../src/messages/common.ts';
import { workflowMessages } from '../../src/messages/workflows.ts';
import { openAgent } from '../support/agent.ts';
import { faultsOfAccess, testBrowser } from '../support/browser.ts';
import { consolePlace } from '../support/console-place.ts';
import { hostile } from '../support/definitions.ts';
import { signIn } from '../support/sign-in.ts';

const { checks: messages, trust: trustTexts, catalogue } = workflowMessages;
const { collected } = checkpointMessages;
const place = consolePlace();
const browser = testBrowser();

const step = { id: 'build', title: 'Build it', prompt: 'Build it.', requireConfirmation: true };
const definition = {
  id: 'prove',
  name: 'Prove',
  description: 'Proves a change.',
  version: '1.0.0',
  steps: [{ ...step, evidence: [{ id: 'tests', check: 'test' }] }],
};

test('A person trusts the checks that were necessary for evidence, and withdraws the trust', async () => {
  const project = makeGitFolder();
  const checks = { test: { run: `echo '${hostile}'`, also_trust: ['settings'] } };
  project.write('.workflowlookup/checks.yaml', JSON.stringify({ checks }));
  project.write('settings', 'quiet\u{200B}\n');
  project.commit();
  await writeFile(join(place.workflows(), 'prove.json'), JSON.stringify(definition));
  const server = await place.start([], { state: 'checks', folder: project.folder });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'builder', workflow_id: 'prove' });
  await agent.call('next_activity');
  // The response to the agent mentions the console too.
  expect(await agent.call('collect_evidence')).toMatchObject({ text: expect.stringContaining('console') });
  await agent.call('yield_checkpoint', { checkpoint_id: 'confirm' });

  const page = await signIn(await browser.open(), server);
  const evidence = page.getByRole('article').getByRole('region', { name: evidenceTexts.title });
  await evidence.getByText(messages.waiting.untrusted).waitFor();
  await evidence.getByRole('link', { name: messages.reviewThem }).click();
  const dialog = page.getByRole('dialog', { name: messages.reviewTitle(project.folder) });
  await dialog.getByLabel(messages.commandOf('test')).getByText(hostile).waitFor();
  await dialog.getByText(trustTexts.location('settings', 1, '')).waitFor();
  await dialog.getByText('quiet\\u{200b}').waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  await dialog.getByRole('button', { name: trustTexts.accept }).click();
  await page.getByText(messages.states.trusted, { exact: true }).waitFor();
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined();

  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  await page.getByText(collected.status.failed, { exact: true }).waitFor();
  await expect.poll(() => page.getByText(messages.waiting.untrusted).count()).toBe(0);

  project.write('settings', 'loud\n');
  await page.goto(new URL('/console/workflows', server.url).href);
  await page.getByText(messages.summary(1)).waitFor();
  await page.getByRole('link', { name: catalogue.checks, exact: true }).click();
  await page.getByText(messages.states.changed).waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  await page.getByRole('button', { name: messages.reviewOf(project.folder) }).click();
  await dialog.getByText('loud').waitFor();
  await dialog.getByText(messages.unchanged).waitFor();
  await dialog.getByRole('button', { name: trustTexts.accept }).click();
  await page.getByRole('button', { name: messages.reviewOf(project.folder) }).click();
  await dialog.getByRole('button', { name: messages.withdraw }).click();
  await page.getByText(messages.states.untrusted, { exact: true }).waitFor();
  await agent.close();
});

test.each([
  {
    what: 'checks',
    file: '.workflowlookup/checks.yaml',
    before: JSON.stringify({ checks: { test: { run: 'echo benign' } } }),
    page: '/console/checks',
    route: '/console/api/checks/review',
  },
  {
    what: 'a definition',
    file: 'workflows/mine.json',
    before: JSON.stringify({
      ...definition,
      id: 'mine',
      steps: [{ id: 'build', title: 'Build it', prompt: 'echo benign' }],
    }),
    page: '/console/workflows',
    route: '/console/api/untrusted/review',
  },
])(
  'A person trusts what they have read, and not a version that the page loaded later: $what',
  async (one) => {
    const project = makeGitFolder();
    project.write(one.file, one.before);
    project.commit();
    const state = `read-${one.file.length}`;
    const server = await place.start([], { state, folder: project.folder });
    const page = await signIn(await browser.open(), server);
    await page.goto(new URL(one.page, server.url).href);
    await page
      .getByRole('button', { name: /review/i })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('echo benign').first().waitFor();
    project.write(one.file, one.before.replace('benign', 'changed'));
    // Simulate a person who returns from another tab, after which the page may load data again.
    const [again] = await Promise.all([
      page
        .waitForResponse((response) => response.url().includes(one.route), { timeout: 3000 })
        .catch(() => null),
      page.evaluate("dispatchEvent(new Event('visibilitychange'))"),
    ]);
    await again?.finished();
    expect(await dialog.getByText('echo changed').count()).toBe(0);
    const [given] = await Promise.all([
      page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/trust')),
      dialog.getByRole('button', { name: trustTexts.accept }).click(),
    ]);
    expect(given.status()).toBe(409);
  },
);

test('A server that runs no checks says so', async () => {
  const server = await place.start(['--auth', 'keys'], { state: 'team' });
  const page = await browser.open();
  await page.goto(new URL('/console/checks', server.url).href);
  const key = await place.key('team', ['read', 'write', 'checkpoints:respond']);
  await page.getByLabel(shellMessages.signIn.labels.key).fill(key);
  await page.getByRole('button', { name: shellMessages.signIn.submit }).click();
  await page.getByText(messages.runsNone).waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
});
