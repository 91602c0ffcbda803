import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runKeysCommand } from '../../src/keys-command.ts';
import type { TestService } from '../support/service.ts';
import { bearer, openService } from '../support/service.ts';
import { startAgent } from '../support/agent.ts';
import type { Browser } from '../support/browser.ts';
import { openKeyBrowser, openLocalBrowser } from '../support/browser.ts';
import type { StreamReader } from './stream-reader.ts';
import { readStream } from './stream-reader.ts';

async function listen(browser: Browser, missedMs = 0): Promise<StreamReader> {
  const response = await browser.get(`/changes?missedMs=${missedMs}`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const stream = readStream(response);
  onTestFinished(() => stream.leave());
  return stream;
}

/** Opens another server with the same state directory, in place of another process. */
const beside = ({ state }: TestService): TestService => openService('--state', state);

test('A page receives the new state of a session that another server changes', async () => {
  const service = openService();
  const stream = await listen(await openLocalBrowser(service));
  expect(await stream.next('hello')).toEqual({
    version: '1.2.3',
    counts: { active: 0, blocked: 0, parked: 0, completed: 0 },
  });
  const agent = await startAgent(beside(service));
  expect(await stream.next('sessions')).toMatchObject({
    sessions: [{ sid: agent.sid, status: 'active', title: 'Review' }],
    isMore: false,
    counts: { active: 1 },
  });
  await agent.stopAtCheckpoint();
  for (let status = ''; status !== 'blocked';) {
    const { sessions } = await stream.next('sessions');
    status = sessions[0]?.status ?? '';
  }
});

test('A page receives changes that happened while it loaded, and later opens with correct counts', async () => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  const before = await listen(browser);
  await before.next('hello');
  await before.leave();
  const agent = await startAgent(service);
  await expect
    .poll(async () => {
      const stream = await listen(browser, 60_000);
      const { counts } = await stream.next('hello');
      const { sessions } = await stream.next('sessions');
      await stream.leave();
      return [counts.active, ...sessions.map(({ sid }) => sid)];
    })
    .toEqual([1, agent.sid]);
  expect((await browser.get('/changes?missedMs=-1')).status).toBe(400);
});

test("A page receives no changes of other users' sessions", async () => {
  const service = openService('--auth', 'keys');
  const scopes = ['read', 'write'] as const;
  const [ann, bob] = [
    await service.key({ principal: 'ann', scopes }),
    await service.key({ principal: 'bob', scopes }),
  ];
  const stream = await listen(await openKeyBrowser(service, ann));
  await stream.next('hello');
  await startAgent(service, { headers: bearer(bob), name: 'of-bob' });
  const own = await startAgent(service, { headers: bearer(ann), name: 'of-ann' });
  const { sessions, counts } = await stream.next('sessions');
  expect(sessions.map(({ sid }) => sid)).toEqual([own.sid]);
  expect(counts).toEqual({ active: 1, blocked: 0, parked: 0, completed: 0 });
});

test('A page receives changes of definitions', async () => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  await browser.get('/workflows');
  const stream = await listen(browser);
  await stream.next('hello');
  const flow = { id: 'new-flow', name: 'N', description: 'D', version: '1.0.0', steps: [] };
  writeFileSync(join(service.definitions, 'new-flow.json'), JSON.stringify(flow));
  expect(await stream.next('workflows')).toEqual({ ids: ['new-flow'] });
});

test('A page whose key is revoked receives nothing more', async () => {
  const service = openService('--auth', 'keys');
  const key = await service.key({ principal: 'ann', scopes: ['read', 'write'] });
  const stream = await listen(await openKeyBrowser(service, key));
  await stream.next('hello');
  const other = await service.key({ principal: 'ann', scopes: ['read', 'write'] });
  const place = { stateDirectory: service.state };
  await runKeysCommand({ action: 'revoke', id: key.split('_')[1] ?? '', place });
  await startAgent(service, { headers: bearer(other) });
  expect(await stream.next('end')).toEqual({ reason: 'signed-out' });
  await stream.ended();
});

test('Streams end when the server stops', async () => {
  const service = openService();
  const stream = await listen(await openLocalBrowser(service));
  await stream.next('hello');
  await service.service.drain();
  expect(await stream.next('end')).toEqual({ reason: 'draining' });
  await stream.ended();
});

test('There are at most as many streams as the server allows, and a closed one makes room for another', async () => {
  const service = openService('--max-streams', '1');
  const browser = await openLocalBrowser(service);
  const first = await listen(browser);
  await first.next('hello');
  const refused = await browser.get('/changes');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  await first.leave();
  await expect.poll(async () => (await browser.get('/changes')).status).toBe(200);
});
