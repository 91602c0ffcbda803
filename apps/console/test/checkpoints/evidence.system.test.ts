import { evidenceTexts } from '@workflowlookup/schema';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeGitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import { trustChecksIn } from '../../../../packages/host/test/support/project.ts';
import { checkpointMessages } from '../../src/messages/checkpoints.ts';
import type { Agent } from '../support/agent.ts';
import { openAgent } from '../support/agent.ts';
import { faultsOfAccess, testBrowser } from '../support/browser.ts';
import { consolePlace } from '../support/console-place.ts';
import { hostile } from '../support/definitions.ts';
import { signIn } from '../support/sign-in.ts';

const { collected, proof } = checkpointMessages;
const place = consolePlace();
const browser = testBrowser();

/** A test runner with one test, which passes if the file `right` exists, and prints a text that could harm a page. */
const run = `mkdir -p reports
if test -e right; then failure=; else failure='<failure/>'; fi
echo "<testsuite><testcase classname='cart' name='adds'>$failure</testcase></testsuite>" > reports/junit.xml
for n in $(seq 30); do echo "line $n"; done
echo '${hostile}'
test -e right`;

const step = { id: 'build', title: 'Build it', prompt: 'Build it.', requireConfirmation: true };
const definition = {
  id: 'prove',
  name: 'Prove',
  description: 'Proves a change.',
  version: '1.0.0',
};

/** A server in a git repository, and an agent at a step that asks for evidence, with a question after it. */
async function openProject(state: string, evidence: object = { id: 'tests', check: 'test' }) {
  const project = makeGitFolder();
  project.write('.gitignore', 'reports\n');
  const check = { run, reports: [{ junit: 'reports/junit.xml' }] };
  project.write('.workflowlookup/checks.yaml', JSON.stringify({ checks: { test: check } }));
  project.commit();
  const steps = [{ ...step, evidence: [evidence] }];
  await writeFile(join(place.workflows(), 'prove.json'), JSON.stringify({ ...definition, steps }));
  await trustChecksIn(place.state(state), project.folder);
  const server = await place.start([], { state, folder: project.folder });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'builder', workflow_id: 'prove' });
  await agent.call('next_activity');
  return { project, server, agent };
}

async function reachQuestion(agent: Agent): Promise<void> {
  await agent.call('collect_evidence');
  await agent.call('yield_checkpoint', { checkpoint_id: 'confirm' });
}

test('A checkpoint shows the evidence of the server, and whether it is still valid', async () => {
  const { project, server, agent } = await openProject('proved');
  project.write('right', '');
  await reachQuestion(agent);
  const page = await signIn(await browser.open(), server);
  const evidence = page.getByRole('article').getByRole('region', { name: evidenceTexts.title });
  await evidence.getByText(collected.status.passed, { exact: true }).waitFor();
  const summary = page.getByRole('article').locator('.proof');
  expect(await summary.locator('[data-tone=done]').textContent()).toBe(proof.proved);
  expect(await summary.textContent()).toContain('tests');
  // The command is shown in both places, before the details are opened.
  const [command = ''] = run.split('\n');
  for (const part of [summary, evidence]) await part.getByText(command).first().waitFor();
  await evidence.getByText(collected.details).click();
  const head = project.git('rev-parse', 'HEAD').trim().slice(0, 12);
  for (const text of [
    'rerun',
    evidenceTexts.freshness.fresh,
    evidenceTexts.tests({ run: 1, failed: 0, skipped: 0 }),
  ])
    await evidence.getByText(text).waitFor();
  await evidence.getByText(`${head}${evidenceTexts.uncommitted}`).waitFor();
  const output = evidence.getByLabel(collected.outputOf('tests'));
  expect(await output.textContent()).toContain(`line 30\n${hostile}`);
  expect(await output.textContent()).not.toContain('line 5\n');
  expect(await faultsOfAccess(page)).toEqual([]);
  project.write('other', '');
  await page.reload();
  await evidence.getByText(collected.status.stale).waitFor();
  expect(await summary.locator('[data-tone=done]').count()).toBe(0);
  expect(await summary.locator('[data-tone=waits]').textContent()).toBe(proof.notProved);
  await agent.close();
});

test('The page of a session shows failed evidence, and what is missing', async () => {
  const { server, agent } = await openProject('failed');
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  const evidence = page.getByRole('region', { name: evidenceTexts.title });
  await evidence.getByText(collected.status.missing).waitFor();
  expect(await agent.call('collect_evidence')).toMatchObject({ text: expect.stringContaining('failed') });
  await page.reload();
  await evidence.getByText(collected.status.failed, { exact: true }).waitFor();
  await evidence.getByText('1 of 1 tests failed (cart › adds)').waitFor();
  await evidence.getByText(evidenceTexts.facts.exitCode, { exact: true }).waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  await agent.close();
});

test('evidence about git links to the page of its commit', async () => {
  const { project, server, agent } = await openProject('linked', { id: 'committed', git: { clean: true } });
  project.git('remote', 'add', 'origin', 'git@github.com:ada/cart.git');
  await agent.call('collect_evidence');
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  const evidence = page.getByRole('region', { name: evidenceTexts.title });
  await evidence.getByText(collected.details).click();
  const commit = project.git('rev-parse', 'HEAD').trim();
  const link = evidence.getByRole('link', { name: commit.slice(0, 12) });
  expect(await link.getAttribute('href')).toBe(`https://github.com/ada/cart/commit/${commit}`);
  await agent.close();
});
