import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { faultsOfAccess, testBrowser } from '../support/browser.ts';
import type { ConsoleServer } from '../support/console-place.ts';
import { consolePlace } from '../support/console-place.ts';
import { signIn } from '../support/sign-in.ts';
import { shellMessages } from '../../src/messages/common.ts';
import { editorMessages, workflowMessages } from '../../src/messages/workflows.ts';

const place = consolePlace();
const browser = testBrowser();

const source = 'custom-1';

async function edit(server: ConsoleServer, file: string): Promise<Page> {
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/edit?source=${source}&file=${file}`, server.url).href);
  await page.getByText(editorMessages.state.valid).waitFor();
  return page;
}

const textOf = (page: Page, file: string) => page.getByRole('textbox', { name: editorMessages.text(file) });

test('the editor checks a definition, completes it, shows the changes and saves it', async () => {
  const server = await place.start([], { state: 'editor' });
  const page = await edit(server, 'review.yaml');
  await textOf(page, 'review.yaml').press('Control+End');
  await page.keyboard.type('wrongKey: 1\n');
  await page.getByText(editorMessages.state.invalid).waitFor();
  await page.getByRole('tabpanel').getByText('wrongKey').waitFor();
  expect(await page.getByRole('button', { name: editorMessages.review }).isDisabled()).toBe(true);
  for (let count = 0; count < 'wrongKey: 1\n'.length; count += 1) await page.keyboard.press('Backspace');
  await page.getByText(editorMessages.state.valid).waitFor();

  await page.keyboard.type('metaGui');
  await page.getByRole('option', { name: 'metaGuidance' }).click();
  await page.keyboard.type('[Say what you did not read.]');
  await page.getByText(editorMessages.state.valid).waitFor();
  await page.getByRole('button', { name: editorMessages.review }).click();
  const dialog = page.getByRole('dialog', { name: editorMessages.save.title('review.yaml') });
  await dialog.getByText('metaGuidance').waitFor();
  await dialog.getByRole('button', { name: editorMessages.save.submit }).click();
  await page.getByRole('heading', { name: 'Review a change' }).waitFor();
  const saved = page.getByRole('status').filter({ hasText: workflowMessages.page.saved('review.yaml') });
  await saved.waitFor();
  await saved.getByRole('link').click();
  await textOf(page, 'review.yaml').waitFor();
  const file = join(place.workflows(), 'review.yaml');
  expect(await readFile(file, 'utf8')).toContain('metaGuidance: [Say what you did not read.]');

  await page.goBack();
  // The offer to undo is still there after the person has looked at the saved files.
  const files = page.getByRole('tab', { name: workflowMessages.page.files(1) });
  await files.click();
  await expect.poll(() => files.getAttribute('aria-selected')).toBe('true');
  await saved.getByRole('button', { name: workflowMessages.page.undo }).click();
  await page
    .getByRole('status')
    .filter({ hasText: workflowMessages.page.undone('review.yaml') })
    .waitFor();
  expect(await readFile(file, 'utf8')).not.toContain('metaGuidance');
});

test('An author restores an earlier version after reading its changes', async () => {
  const server = await place.start([], { state: 'versions' });
  const page = await edit(server, 'careful/workflow.json');
  const editor = textOf(page, 'careful/workflow.json');
  const path = join(place.workflows(), 'careful/workflow.json');
  const before = await readFile(path, 'utf8');
  const { versions, save } = editorMessages;
  const open = page.getByRole('button', { name: versions.open });
  const dialog = page.getByRole('dialog');
  await open.click();
  await dialog.getByText(versions.empty).waitFor();
  await dialog.getByRole('button', { name: versions.close }).click();

  await page.locator('.cm-line').filter({ hasText: 'Publish with care' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type('\n"tags": ["mistake"],');
  await page.getByText(editorMessages.state.valid).waitFor();
  await page.getByRole('button', { name: editorMessages.review }).click();
  await dialog.getByRole('button', { name: save.submit }).click();
  await page.getByRole('heading', { name: 'Publish with care' }).waitFor();
  // Later, the author opens the editor again.
  await page.goto(new URL(`/console/edit?source=${source}&file=careful/workflow.json`, server.url).href);
  await open.click();
  const list = dialog.getByRole('list', { name: versions.list });
  await expect.poll(() => list.getByRole('button').count()).toBe(2);
  await list.getByRole('button', { name: versions.current }).waitFor();
  const earlier = list.getByRole('button', { name: versions.savedElsewhere });
  expect(await earlier.getAttribute('aria-pressed')).toBe('true');
  await dialog.locator('.cm-deletedChunk').filter({ hasText: 'mistake' }).waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  await dialog.getByRole('button', { name: versions.putBack }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => editor.textContent()).not.toContain('mistake');
  expect(await readFile(path, 'utf8')).toContain('mistake');
  await page.getByText(editorMessages.state.valid).waitFor();
  await page.getByRole('button', { name: editorMessages.review }).click();
  await dialog.getByRole('button', { name: save.submit }).click();
  await page.getByRole('heading', { name: 'Publish with care' }).waitFor();
  expect(await readFile(path, 'utf8')).toBe(before);
});

test('The editor lists its keys, and they do what the list says', async () => {
  const server = await place.start([], { state: 'keys' });
  const page = await edit(server, 'review.yaml');
  const { keys } = editorMessages;
  await page.getByText(keys.hint).waitFor();
  await page.getByRole('button', { name: keys.all }).click();
  const dialog = page.getByRole('dialog');
  for (const label of [keys.suggest, keys.find, keys.nextProblem])
    await dialog.getByText(label, { exact: true }).waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  const text = textOf(page, 'review.yaml');
  await text.press('Control+End');
  await page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: 'metaGuidance' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+]');
  await page
    .locator('.cm-activeLine')
    .filter({ hasText: /^ {2}id: review$/ })
    .waitFor();
  await page.keyboard.press('Control+[');
  await page.keyboard.press('Control+/');
  await page
    .locator('.cm-activeLine')
    .filter({ hasText: /^# id: review$/ })
    .waitFor();
  await page.getByText(editorMessages.state.invalid, { exact: true }).waitFor();
  await page.keyboard.press('F8');
  await page.locator('.cm-tooltip, .cm-panel').first().waitFor();
  await page.keyboard.press('Control+f');
  await page.locator('.cm-search').waitFor();
});

test('saving shows changes that somebody else made in the meantime', async () => {
  const server = await place.start([], { state: 'conflict' });
  const page = await edit(server, 'long.json');
  const file = join(place.workflows(), 'long.json');
  const before = await readFile(file, 'utf8');
  await writeFile(file, before.replace('200 steps.', 'Somebody else was here.'));
  await textOf(page, 'long.json').press('Control+End');
  await page.keyboard.type('\n');
  await page.getByRole('button', { name: editorMessages.review }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: editorMessages.save.submit }).click();
  await dialog.getByText(editorMessages.save.conflict).waitFor();
  await dialog.getByText('Somebody else was here.').waitFor();
  expect(await readFile(file, 'utf8')).toContain('Somebody else was here.');
  await dialog.getByRole('button', { name: editorMessages.save.replace }).click();
  await page.getByRole('heading', { name: 'A long way' }).waitFor();
  expect(await readFile(file, 'utf8')).toContain('200 steps.');
});

test('saving can merge the changes of two people, and the merged text is checked again', async () => {
  const server = await place.start([], { state: 'merge' });
  const page = await edit(server, 'review.yaml');
  const file = join(place.workflows(), 'review.yaml');
  const before = await readFile(file, 'utf8');
  await writeFile(file, before.replace('Read a change and report on it.', 'Somebody else wrote this.'));
  await textOf(page, 'review.yaml').press('Control+End');
  await page.keyboard.type('\n# Written here.\n');
  await page.getByRole('button', { name: editorMessages.review }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: editorMessages.save.submit }).click();
  await dialog.getByRole('button', { name: editorMessages.save.merge(0) }).click();
  await page.getByText(editorMessages.state.valid).waitFor();
  await page.getByRole('button', { name: editorMessages.review }).click();
  await dialog.getByRole('button', { name: editorMessages.save.submit }).click();
  await page.getByRole('heading', { name: 'Review a change' }).waitFor();
  const after = await readFile(file, 'utf8');
  expect(after).toContain('Somebody else wrote this.');
  expect(after).toContain('# Written here.');
});

test('An open editor reports immediately that the file was changed elsewhere, and can take the change over', async () => {
  const server = await place.start([], { state: 'elsewhere' });
  const page = await edit(server, 'careful/workflow.json');
  const editor = textOf(page, 'careful/workflow.json');
  const path = join(place.workflows(), 'careful/workflow.json');
  const before = await readFile(path, 'utf8');
  await writeFile(path, before.replace('Publish with care', 'Publish with much care'));
  const { changed, save } = editorMessages;
  await page.getByText(changed.title).waitFor();
  await page.getByRole('button', { name: changed.show }).click();
  await expect.poll(() => editor.textContent()).toContain('much care');
  expect(await page.getByText(changed.title).count()).toBe(0);

  await editor.press('Control+End');
  await page.keyboard.type('\n');
  await writeFile(path, before);
  await page.getByText(changed.both).waitFor();
  await page.getByRole('button', { name: save.merge(0) }).click();
  await expect.poll(() => editor.textContent()).not.toContain('much care');
});

test('The graph keeps the last valid version while the text has errors, and all errors are listed', async () => {
  const server = await place.start([], { state: 'last-good' });
  const page = await edit(server, 'review.yaml');
  const tab = (name: string | RegExp) => page.getByRole('tab', { name });
  await tab(editorMessages.checks.graph).click();
  await page.locator('.react-flow__node').filter({ hasText: 'Look closer' }).waitFor();
  await textOf(page, 'review.yaml').press('Control+End');
  await page.keyboard.type('\nwrongKey: 1\nworseKey: 2\n');
  await page.getByText(editorMessages.state.invalid, { exact: true }).waitFor();
  await page.getByText(editorMessages.checks.lastGood).waitFor();
  await page.locator('.react-flow__node').filter({ hasText: 'Look closer' }).waitFor();
  await tab(/^Problems/).click();
  const problems = page.getByRole('tabpanel');
  await expect.poll(() => problems.getByText('wrongKey').count()).toBeGreaterThan(0);
  await expect.poll(() => problems.getByText('worseKey').count()).toBeGreaterThan(0);
});

test('An error that does not prevent saving is still shown as an error, and leads to its line', async () => {
  const server = await place.start([], { state: 'served-error' });
  const file = 'careful/activities/01-publish.json';
  const page = await edit(server, file);
  await page.locator('.cm-line').filter({ hasText: '"checkpoint": "publish"' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('ed');
  await page.getByText(editorMessages.state.usableWithErrors).waitFor();
  expect(await page.getByText(editorMessages.state.valid, { exact: true }).count()).toBe(0);
  expect(await page.getByRole('button', { name: editorMessages.review }).isEnabled()).toBe(true);
  await textOf(page, file).press('Control+End');
  await page.getByRole('tab', { name: /^Problems/ }).click();
  await page.getByRole('tabpanel').getByRole('button', { name: 'published' }).click();
  await page.locator('.cm-activeLine').filter({ hasText: '"checkpoint"' }).waitFor();
});

test('A workflow with several files is copied to a writable source, under a new id', async () => {
  const server = await place.start([], { state: 'copy' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/workflows/shop', server.url).href);
  await page.getByRole('button', { name: workflowMessages.page.duplicate }).click();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByLabel(workflowMessages.page.duplicateName);
  expect(await name.inputValue()).toBe(workflowMessages.page.duplicateProposal('Ship a change'));
  await name.fill('Ship it my way');
  await dialog.getByLabel(workflowMessages.page.duplicateId).fill('my-shop');
  await dialog.getByRole('button', { name: workflowMessages.page.duplicateSubmit }).click();
  await page.getByText(editorMessages.state.valid).waitFor();
  await page.goto(new URL('/console/workflows/my-shop?tab=files', server.url).href);
  const files = page.getByRole('list', { name: workflowMessages.page.filesList });
  await expect.poll(() => files.getByRole('link').count()).toBe(4);
  await page.getByRole('heading', { name: 'Ship it my way', level: 1 }).waitFor();
});

const { trial, walk } = workflowMessages;

test('An author follows a workflow step by step to its outcome, and sees why something is refused', async () => {
  const server = await place.start([], { state: 'trial' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/workflows/shop?tab=try', server.url).href);
  await page.getByRole('button', { name: walk.follow }).click();
  const heading = (name: string) => page.getByRole('heading', { name, level: 2, exact: true });
  await page.getByRole('heading', { name: 'Write the plan', level: 3 }).waitFor();
  const output = page.getByLabel(trial.output('write-plan'));
  await output.fill('Short.');
  await page.getByRole('button', { name: trial.submit }).click();
  const refusal = page.getByRole('alert').filter({ hasText: trial.refused });
  await refusal.getByText('Say more than a word.').waitFor();
  // The refused output stays in the field.
  expect(await output.inputValue()).toBe('Short.');
  await output.fill('First the tests, then the code.');
  await page.getByRole('button', { name: trial.submit }).click();
  await heading('Approve the plan').waitFor();
  await page.getByText('The plan is written, its risk is low.').waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  await page.getByRole('button', { name: /^Go on/ }).click();
  await heading(walk.turn(2, 'Make the change').trim()).waitFor();
  await page.getByRole('button', { name: trial.accept }).click();
  await heading(walk.turn(3, 'Report').trim()).waitFor();
  await page.getByRole('button', { name: trial.submit }).click();
  await heading(trial.completed).waitFor();
  await page.getByText(trial.outcome).waitFor();
  const turns = page.getByRole('list', { name: walk.turns });
  // The list has three turns, and a checkpoint after the first of them.
  const headings = await turns.getByRole('heading').allTextContents();
  expect(headings.map((text) => text.startsWith(walk.question('Approve the plan')))).toEqual([
    false,
    true,
    false,
    false,
  ]);
  await page.getByRole('button', { name: trial.back }).click();
  await heading(walk.turn(3, 'Report').trim()).waitFor();
});

test('The editor tries a workflow with several files with the text as it is typed', async () => {
  const server = await place.start([], { state: 'trial-of-draft' });
  const plan = 'shop/activities/01-plan.json';
  const text = await readFile(join(place.workflows(), plan), 'utf8');
  const page = await edit(server, `${plan}&at=/steps/0/name`);
  await page.locator('.cm-activeLine').filter({ hasText: 'Write the plan' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('Now: ');
  await page.getByRole('tab', { name: editorMessages.checks.simulate }).click();
  await page.getByRole('button', { name: walk.follow }).click();
  await page.getByRole('heading', { name: 'Now: Write the plan', level: 3 }).waitFor();
  await page.getByLabel(trial.output('write-plan')).fill('First the tests, then the code.');
  await page.getByRole('button', { name: trial.submit }).click();
  await page.getByRole('button', { name: /^Go on/ }).click();
  // The next activity is in a file that was not changed.
  const turn = walk.turn(2, 'Make the change').trim();
  await page.getByRole('heading', { name: turn, level: 2, exact: true }).waitFor();
  expect(await readFile(join(place.workflows(), plan), 'utf8')).toBe(text);
});

test('A box of the graph opens its step, with the instructions', async () => {
  const server = await place.start([], { state: 'boxes' });
  const page = await signIn(await browser.open(), server);
  for (const [id, box, at, text] of [
    ['review', 'Look closer', 'look-closer', 'Look at every line.'],
    ['shop', 'Write the plan', 'plan/write-plan', 'Say what you change, and why.'],
  ] as const) {
    await page.goto(new URL(`/console/workflows/${id}`, server.url).href);
    await page.locator('.react-flow__node').filter({ hasText: box }).last().click();
    await page.getByText(text).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(at);
    expect(await page.locator('main details[open]').count()).toBe(1);
    await expect.poll(() => page.locator('[data-marked]').getByText(text).count()).toBe(1);
  }
});

/** The line of the cursor in the editor, counted from 1. */
const cursorLine = async (page: Page): Promise<number> =>
  Number(await page.locator('.cm-lineNumbers .cm-activeLineGutter').textContent());

test('A step, a checkpoint or an activity can be edited where it is shown, in its own file', async () => {
  const server = await place.start([], { state: 'parts' });
  const page = await signIn(await browser.open(), server);
  const { outline, page: texts } = workflowMessages;
  const plan = 'shop/activities/01-plan.json';
  const lines = (await readFile(join(place.workflows(), plan), 'utf8')).split('\n');
  const lineAfter = (text: string): number => lines.findIndex((line) => line.includes(text)) + 2;
  const workflow = new URL('/console/workflows/shop', server.url).href;
  const at = (): (string | null)[] =>
    ['file', 'at'].map((name) => new URL(page.url()).searchParams.get(name));

  // Start at a checkpoint in the graph, and open its part.
  await page.goto(workflow);
  await page.locator('.react-flow__node-node').filter({ hasText: 'Approve the plan' }).click();
  await page.locator('[data-marked]').getByText('The plan is written').waitFor();
  await page.getByRole('link', { name: texts.editFile('01-plan.json') }).click();
  await textOf(page, plan).waitFor();
  expect(at()).toEqual([plan, '/checkpoints/0']);
  await expect.poll(() => cursorLine(page)).toBe(lineAfter('"checkpoints": ['));

  // Start at a step in the list.
  await page.goto(`${workflow}?tab=steps`);
  const step = page.getByRole('link', { name: outline.editPart('Write the plan') });
  await step.waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  await step.click();
  await textOf(page, plan).waitFor();
  expect(at()).toEqual([plan, '/steps/0']);
  await expect.poll(() => cursorLine(page)).toBe(lineAfter('"steps": ['));

  // Start at a node of the graph, without opening its part.
  await page.goto(workflow);
  await page.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  const node = page.locator('.react-flow__node-node').filter({ hasText: 'Tell what was done' });
  await node.hover();
  await node.getByTitle(outline.editPart('Tell what was done')).click();
  await textOf(page, 'shop/activities/03-report.json').waitFor();
  expect(at()).toEqual(['shop/activities/03-report.json', '/steps/0']);
});

test('The graph and the steps beside the text lead to the text of each part, even in another file', async () => {
  const server = await place.start([], { state: 'beside' });
  const page = await edit(server, 'review.yaml');
  const tab = (name: string) => page.getByRole('tab', { name });
  await tab(editorMessages.checks.graph).click();
  await page.locator('.react-flow__node').filter({ hasText: 'Look closer' }).last().click();
  await page.locator('.cm-activeLine').filter({ hasText: 'id: look-closer' }).waitFor();
  // The links lead to the right position after the text has changed.
  await textOf(page, 'review.yaml').press('Control+Home');
  await page.keyboard.type('# One more line.\n');
  await tab(editorMessages.checks.steps).click();
  await page.getByRole('button', { name: workflowMessages.outline.editPart('Report'), exact: true }).click();
  await page.locator('.cm-activeLine').filter({ hasText: 'id: report' }).waitFor();

  page.on('dialog', (dialog) => void dialog.accept());
  const main = 'shop/workflow.json';
  await page.goto(new URL(`/console/edit?source=${source}&file=${main}`, server.url).href);
  await tab(editorMessages.checks.steps).click();
  await page.getByRole('button', { name: workflowMessages.outline.editPart('Approve the plan') }).click();
  await textOf(page, 'shop/activities/01-plan.json').waitFor();
  expect(new URL(page.url()).searchParams.get('at')).toBe('/checkpoints/0');
  await expect.poll(() => cursorLine(page)).toBeGreaterThan(10);
});

test('An author adds a checkpoint before a step or after an activity, edits it, and can undo that', async () => {
  const server = await place.start([], { state: 'question' });
  const page = await edit(server, 'review.yaml');
  const { checks, question } = editorMessages;
  const ask = (label: string, part: string) =>
    page.getByRole('button', { name: question.of(label, part), exact: true });
  await page.getByRole('tab', { name: checks.steps }).click();
  await ask(question.before, 'Report').click();
  await page
    .locator('.cm-activeLine')
    .filter({ hasText: question.title('Report') })
    .waitFor();
  // The proposed title is selected, so the author can type over it.
  await page.keyboard.type('The report is about the right change');
  const added = page.getByRole('tabpanel').getByText('The report is about the right change');
  await added.waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
  await textOf(page, 'review.yaml').press('Control+z');
  await textOf(page, 'review.yaml').press('Control+z');
  await added.waitFor({ state: 'detached' });
  expect(await textOf(page, 'review.yaml').textContent()).not.toContain(question.prompt);

  page.on('dialog', (dialog) => void dialog.accept());
  const change = 'shop/activities/02-change.json';
  await page.goto(new URL(`/console/edit?source=${source}&file=${change}`, server.url).href);
  await page.getByRole('tab', { name: checks.steps }).click();
  // Other activities can't be changed here, because their text is in other files.
  expect(await ask(question.after, 'Plan the change').count()).toBe(0);
  await ask(question.after, 'Make the change').click();
  await page.getByRole('tabpanel').getByText(question.message('Make the change')).waitFor();
  await page.getByRole('tab', { name: checks.simulate }).click();
  await page.getByRole('button', { name: walk.start }).click();
  const turns = page.getByRole('list', { name: walk.turns }).getByRole('heading');
  await expect
    .poll(async () =>
      (await turns.allTextContents()).map((text) => text.includes(question.name('Make the change'))),
    )
    .toEqual([false, false, false, true, false]);
});

test('A workflow describes when each checkpoint comes, and who answers it', async () => {
  const server = await place.start([], { state: 'when' });
  const page = await signIn(await browser.open(), server);
  const { outline, page: texts } = workflowMessages;
  const open = (path: string) => page.goto(new URL(`/console/workflows/${path}`, server.url).href);

  await open('review?tab=steps');
  const report = page.getByRole('listitem').filter({ hasText: 'Report on it.' });
  await report.getByText(outline.confirmedBefore('any')).waitFor();
  expect(await page.getByText(outline.confirmedBefore('any')).count()).toBe(1);

  await open('shop?tab=steps');
  await page.getByText(outline.stepAsks('any', 'Approve the plan')).waitFor();
  await page.getByText(outline.asked.atStep('any', 'Ask')).waitFor();

  await open('shop');
  const node = (name: string) => page.locator('.react-flow__node-node').filter({ hasText: name });
  await node('Approve the plan').getByText(texts.answers.any).waitFor();
  await page.getByRole('checkbox', { name: texts.showSteps }).uncheck();
  await node('Plan the change').getByText(texts.asks.any).waitFor();
  expect(await page.getByText(texts.asks.any).count()).toBe(1);

  await open('shop?tab=try');
  await page.getByRole('button', { name: walk.start }).click();
  await page.getByText(walk.questionBetween('Plan the change', 'Make the change')).waitFor();
});

test('The criteria of an output are described in the list of steps and while an author follows them', async () => {
  const note = {
    id: 'note',
    name: 'Release note',
    description: 'Write a release note.',
    version: '1.0.0',
    variables: [{ name: 'breaking', type: 'boolean', default: false }],
    steps: [
      {
        id: 'each',
        title: 'Each',
        type: 'loop',
        loop: { type: 'for', count: 1, maxIterations: 1 },
        body: [
          {
            id: 'write',
            title: 'Write it',
            prompt: 'Write the note.',
            fields: [{ id: 'text', min_length: 20 }],
            validationCriteria: {
              type: 'contains',
              value: 'BREAKING',
              condition: 'breaking == true',
              message: 'The note says BREAKING.',
            },
          },
        ],
      },
    ],
  };
  await writeFile(join(place.workflows(), 'note.json'), JSON.stringify(note));
  const server = await place.start([], { state: 'words' });
  const page = await signIn(await browser.open(), server);
  const { outline } = workflowMessages;
  const seeWords = async (): Promise<void> => {
    await page.getByText(outline.criteria, { exact: true }).waitFor();
    await page.getByText('If breaking == true: The note says BREAKING.').waitFor();
    const fields = page.getByRole('group', { name: outline.fields.of('Write it') });
    await fields.getByText('text of at least 20 characters').waitFor();
    // There are no more columns, because no field has a description or sets a variable.
    expect(await fields.getByRole('columnheader').allTextContents()).toEqual([
      outline.fields.columns.field,
      outline.fields.columns.takes,
    ]);
  };
  await page.goto(new URL('/console/workflows/note?tab=steps', server.url).href);
  await seeWords();
  await page.goto(new URL('/console/workflows/note?tab=try', server.url).href);
  await page.getByRole('button', { name: walk.follow }).click();
  await seeWords();
  expect(await faultsOfAccess(page)).toEqual([]);
});

test('The editor lists the other files of the workflow, and links to them', async () => {
  const server = await place.start([], { state: 'files' });
  const page = await edit(server, 'shop/activities/02-change.json');
  await page.getByRole('tab', { name: workflowMessages.page.files(4) }).click();
  const files = page.getByRole('list', { name: workflowMessages.page.filesList });
  expect(await files.locator('code').allTextContents()).toEqual([
    'workflow.json',
    'activities/01-plan.json',
    'activities/02-change.json',
    'activities/03-report.json',
  ]);
  expect(await files.locator('[aria-current=page]').textContent()).toBe('activities/02-change.json');
  expect(await faultsOfAccess(page)).toEqual([]);
  await files.getByRole('link', { name: 'activities/01-plan.json' }).click();
  await textOf(page, 'shop/activities/01-plan.json').waitFor();

  // A step workflow is one file.
  await page.goto(new URL(`/console/edit?source=${source}&file=review.yaml`, server.url).href);
  await page.getByRole('tab', { name: editorMessages.checks.simulate }).waitFor();
  expect(await page.getByRole('tab', { name: workflowMessages.page.files(1) }).count()).toBe(0);
});

test('The graph moves to a step that the browser scrolls to, and a slow click there is not lost', async () => {
  const server = await place.start([], { state: 'scrolled' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/workflows/shop', server.url).href);
  const node = page.locator('.react-flow__node-node').filter({ hasText: 'Tell what was done' });
  await node.waitFor();
  const isOutside = `(() => {
    const node = document.querySelector('[data-id="step:report/tell"]');
    const { x, y, width, height } = node.getBoundingClientRect();
    return y > 0 && !node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  })()`;
  await expect.poll(() => page.evaluate<boolean>(isOutside)).toBe(true);
  // The browser scrolls in the first frame. In the next ones, the graph must not move back.
  const scroll = `(async () => {
    const node = document.querySelector('[data-id="step:report/tell"]');
    node.scrollIntoView({ block: 'center' });
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    const { x, y, width, height } = node.getBoundingClientRect();
    return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  })()`;
  // The graph has its first position only after its nodes are visible.
  await expect.poll(() => page.evaluate<boolean>(scroll)).toBe(true);
  await node.getByTitle(workflowMessages.outline.editPart('Tell what was done')).click({ delay: 200 });
  await textOf(page, 'shop/activities/03-report.json').waitFor();
});

test('The whole graph is readable: its labels keep their size, and it scrolls with the page', async () => {
  const server = await place.start([], { state: 'graph' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/workflows/long', server.url).href);
  const node = page.locator('.react-flow__node').filter({ hasText: 'Step 1 of a long way' }).first();
  await node.waitFor();
  await page.getByLabel(workflowMessages.page.showWhole).check();
  const last = page.locator('.react-flow__node').filter({ hasText: 'Step 200 of a long way' });
  await last.scrollIntoViewIfNeeded();
  expect((await last.boundingBox())?.width).toBeGreaterThan(140);
  expect(await faultsOfAccess(page)).toEqual([]);
});

test('A simulation says why each step was chosen or skipped', async () => {
  const server = await place.start([], { state: 'walk' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/workflows/review?tab=try', server.url).href);
  await page.getByLabel(workflowMessages.walk.variables).fill('{ "depth": "full" }');
  await page.getByRole('button', { name: workflowMessages.walk.start }).click();
  const turns = page.getByRole('list', { name: workflowMessages.walk.turns });
  await turns.getByRole('heading', { name: /Look closer/ }).waitFor();
  await page.getByLabel(workflowMessages.walk.variables).fill('{ "depth": "quick" }');
  await page.getByRole('button', { name: workflowMessages.walk.start }).click();
  await turns.getByText(workflowMessages.walk.verdicts.skipped).waitFor();
  expect(await turns.getByRole('heading', { name: /Look closer/ }).count()).toBe(0);
  // The last checkpoint has an entry too, although no turn follows it.
  await turns.getByRole('heading', { name: walk.question('Confirm: Report').trim() }).waitFor();
  expect(await faultsOfAccess(page)).toEqual([]);
});
