import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleServer } from './console-place.ts';
import { checkpointMessages } from '../../src/messages/checkpoints.ts';
import { shellMessages } from '../../src/messages/common.ts';

/** Signs in with a sign-in link. The secret is no longer in the URL afterwards. */
export async function signIn(page: Page, server: ConsoleServer): Promise<Page> {
  await page.goto(server.console);
  await page.getByRole('heading', { name: checkpointMessages.page.title }).waitFor();
  await page.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  expect(page.url()).toBe(new URL('/console/checkpoints', server.url).href);
  return page;
}
