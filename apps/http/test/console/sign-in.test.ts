import { expect, test } from 'vitest';
import { openService } from '../service.ts';
import { openBrowser, openLocalBrowser } from './browser.ts';

test('the user of this machine signs in by the printed address', async () => {
  const service = openService();
  const stranger = openBrowser(service);
  expect(await stranger.read('/me')).toEqual({ state: 'signed-out', ways: ['secret'], version: '1.2.3' });
  expect((await stranger.get('/runs')).status).toBe(401);
  const browser = await openLocalBrowser(service);
  expect(await browser.read('/me')).toMatchObject({ state: 'signed-in', principal: 'local' });
  expect((await browser.get('/runs')).status).toBe(200);
  expect(await browser.read('/runs')).toEqual({});
});
