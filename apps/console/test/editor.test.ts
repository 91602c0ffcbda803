import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { testBrowser } from './support/browser.ts';
import type { ConsoleServer } from './support/console-place.ts';
import { consolePlace } from './support/console-place.ts';
import { signIn } from './support/sign-in.ts';

const place = consolePlace('editor');
const browser = testBrowser();

const source = 'custom-1';

async function edit(server: ConsoleServer, file: string): Promise<Page> {
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/edit?source=${source}&file=${file}`, server.url).href);
  await page.getByText(/would (not )?be served/).waitFor();
  return page;
}

const textOf = (page: Page, file: string) => page.getByRole('textbox', { name: `Text of ${file}` });

test('a definition is judged while it is written, completed, shown as a difference and saved', async () => {
  const server = await place.start([], { state: 'editor' });
  const page = await edit(server, 'review.yaml');
  await textOf(page, 'review.yaml').press('Control+End');
  await page.keyboard.type('wrongKey: 1\n');
  await page.getByText('would not be served').waitFor();
  await page.getByRole('tabpanel').getByText('wrongKey').waitFor();
  expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
  for (let count = 0; count < 'wrongKey: 1\n'.length; count += 1) await page.keyboard.press('Backspace');
  await page.getByText('would be served').waitFor();

  await page.keyboard.type('metaGui');
  await page.getByRole('option', { name: 'metaGuidance' }).click();
  await page.keyboard.type('[Say what you did not read.]');
  await page.getByText('would be served').waitFor();
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save review.yaml' });
  await dialog.getByText('metaGuidance').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Review a change' }).waitFor();
  expect(await readFile(join(place.workflows(), 'review.yaml'), 'utf8')).toContain(
    'metaGuidance: [Say what you did not read.]',
  );
});

test('who saves over what somebody else wrote meanwhile is shown it first', async () => {
  const server = await place.start([], { state: 'conflict' });
  const page = await edit(server, 'long.json');
  const file = join(place.workflows(), 'long.json');
  const before = await readFile(file, 'utf8');
  await writeFile(file, before.replace('200 steps.', 'Somebody else was here.'));
  await textOf(page, 'long.json').press('Control+End');
  await page.keyboard.type('\n');
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('changed by somebody else').waitFor();
  await dialog.getByText('Somebody else was here.').waitFor();
  expect(await readFile(file, 'utf8')).toContain('Somebody else was here.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'A long way' }).waitFor();
  expect(await readFile(file, 'utf8')).toContain('200 steps.');
});

test('a workflow is walked, and every turn says why it came next', async () => {
  const server = await place.start([], { state: 'walk' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/workflows/review?tab=try', server.url).href);
  await page.getByLabel('Variables at the start').fill('{ "depth": "full" }');
  await page.getByRole('button', { name: 'Walk' }).click();
  const turns = page.getByRole('list', { name: 'Turns' });
  await turns.getByRole('heading', { name: /Look closer/ }).waitFor();
  await page.getByLabel('Variables at the start').fill('{ "depth": "quick" }');
  await page.getByRole('button', { name: 'Walk' }).click();
  await turns.getByText('skipped').waitFor();
  expect(await turns.getByRole('heading', { name: /Look closer/ }).count()).toBe(0);
});
