import type { Page } from 'playwright-core';
import { checkpointMessages } from '../../src/messages/checkpoints.ts';

const { answer: form, outbox } = checkpointMessages;

/** Chooses an option of the checkpoint that the page shows, and sends the answer without waiting. */
export async function choose(page: Page, option: string, note = ''): Promise<void> {
  await hold(page, option, note);
  await page.getByRole('button', { name: outbox.sendNow }).click();
}

/** Chooses an option and gives the answer. It is not sent yet and can still be undone. */
export async function hold(page: Page, option: string, note = ''): Promise<void> {
  const checkpoint = page.getByRole('article');
  await checkpoint.getByRole('radio', { name: option }).check();
  if (note !== '') await checkpoint.getByRole('textbox', { name: form.note }).fill(note);
  await checkpoint.getByRole('button', { name: form.send(option) }).click();
}

/** Answers the checkpoint that the page shows, and waits until the server has the answer. */
export async function answer(page: Page, option: string, note = ''): Promise<void> {
  await choose(page, option, note);
  await page.getByText(outbox.states.sent(option)).waitFor();
}
