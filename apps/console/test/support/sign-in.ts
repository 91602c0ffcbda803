import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleServer } from './console-place.ts';

/** Opens the address the server printed; the secret is out of sight once the page is there. */
export async function signIn(page: Page, server: ConsoleServer): Promise<Page> {
  await page.goto(server.console);
  await page.getByRole('heading', { name: 'Gates' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  expect(page.url()).toBe(new URL('/console/gates', server.url).href);
  return page;
}
