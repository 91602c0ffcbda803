import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { startAuthorizationServer } from '../../../http/test/support/authorization-server.ts';
import { driver } from '../../../../packages/storage/test/support/other-connection.ts';
import type { Agent } from '../support/agent.ts';
import { openAgent } from '../support/agent.ts';
import { choose, hold } from '../support/answer.ts';
import { testBrowser } from '../support/browser.ts';
import type { ConsoleServer } from '../support/console-place.ts';
import { consolePlace } from '../support/console-place.ts';
import { reachCheckpoint, walkThrough } from '../support/reach-checkpoint.ts';
import { signIn } from '../support/sign-in.ts';
import { checkpointMessages } from '../../src/messages/checkpoints.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';
import { shellMessages } from '../../src/messages/common.ts';

const place = consolePlace();
// A foreign name that resolves to this machine, as in DNS rebinding.
const browser = testBrowser(['--host-resolver-rules=MAP rebound.test 127.0.0.1']);

/** Another program on this machine that serves pages, such as an agent's preview, and records what browsers send it. */
interface Preview {
  readonly port: number;
  /** The headers of each request it received. */
  readonly heard: readonly IncomingHttpHeaders[];
}

const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function startPreview(): Promise<Preview> {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }: IncomingMessage, response) => {
    heard.push(headers);
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Preview</title><p>A preview.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, heard };
}

let server: ConsoleServer;
let agent: Agent;

beforeAll(async () => {
  server = await place.start([], { state: 'origins' });
  agent = await openAgent(server.url);
  await reachCheckpoint(agent);
  return () => agent.close();
});

/** The answer an agent would like to give to its own checkpoint. */
const answer = { mode: { kind: 'option', option: 'go' }, revision: 3 };

/**
 * The code of a function that tries every request a page can make. It returns the result of each, or `nothing` if the
 * browser or the server refused it. It is a string, because tests are compiled for Node.js and have no types for the
 * window.
 */
const attack = (origin: string, sid: string): string => `(async () => {
  const api = ${JSON.stringify(`${origin}/console/api`)};
  const body = ${JSON.stringify(JSON.stringify(answer))};
  const path = api + '/sessions/${sid}/answer';
  const type = { 'content-type': 'application/json' };
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms, 'nothing'));
  const all = { credentials: 'include' };
  const text = (response) => response.type === 'opaque' || !response.ok ? 'nothing' : response.text();
  const attempts = {
    read: () => fetch(api + '/checkpoints', all).then(text),
    me: () => fetch(api + '/me', all).then(text),
    answer: () => fetch(path, { ...all, method: 'POST', headers: type, body }).then(text),
    'answer as the pages did': () =>
      fetch(path, { ...all, method: 'POST', headers: { ...type, 'x-workflowlookup-console': '1' }, body }).then(text),
    'answer unseen': () => fetch(path, { ...all, mode: 'no-cors', method: 'POST', body }).then(text),
    beacon: async () => (navigator.sendBeacon(path, body), 'nothing'),
    stream: () => new Promise((resolve) => {
      const source = new EventSource(api + '/changes', { withCredentials: true });
      source.addEventListener('hello', ({ data }) => resolve(data));
      source.onerror = () => resolve('nothing');
    }),
    frame: () => new Promise((resolve) => {
      const frame = Object.assign(document.createElement('iframe'), { src: api.replace('api', 'checkpoints') });
      frame.onload = () => {
        try { resolve(frame.contentWindow.localStorage.getItem('workflowlookup.session') ?? 'nothing'); }
        catch { resolve(frame.contentWindow.length > 0 ? 'frames' : 'nothing'); }
      };
      document.body.append(frame);
    }),
    opener: async () => {
      const opened = open(api.replace('api', 'checkpoints'));
      await wait(1500);
      opened?.postMessage({ type: 'session' }, '*');
      try { return opened?.localStorage.getItem('workflowlookup.session') ?? 'nothing'; }
      catch { return 'nothing'; }
    },
    script: () => new Promise((resolve) => {
      const script = Object.assign(document.createElement('script'), { src: api + '/checkpoints' });
      script.onload = () => resolve('loaded');
      script.onerror = () => resolve('nothing');
      document.body.append(script);
    }),
    form: async () => {
      const frame = Object.assign(document.createElement('iframe'), { name: 'sink' });
      const form = Object.assign(document.createElement('form'), {
        method: 'POST', action: path, target: 'sink', enctype: 'text/plain',
      });
      form.append(Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"note":"', value: '"}' }));
      document.body.append(frame, form);
      form.submit();
      return wait(500);
    },
    mcp: () => fetch(api.replace('/console/api', '/mcp'), {
      method: 'POST',
      headers: { ...type, accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
        protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' },
      } }),
    }).then(text),
    // Ask its own server, because browsers send cookies to all ports of a host.
    'own server': () => fetch('/console/api/checkpoints', all).then(() => 'nothing'),
    storage: async () => localStorage.getItem('workflowlookup.session') ?? 'nothing',
  };
  const got = {};
  for (const [name, attempt] of Object.entries(attempts))
    got[name] = await Promise.race([attempt().catch(() => 'nothing'), wait(4000)]);
  return got;
})()`;

/** Checks that the checkpoint still needs an answer on the page of the signed-in user. */
async function expectWaiting(page: Page): Promise<void> {
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  await page.getByRole('radio', { name: 'Go on' }).waitFor();
}

/** Replays the headers that a browser sent to another program as a request of the console. */
async function replay(headers: IncomingHttpHeaders): Promise<readonly number[]> {
  const { origin } = new URL(server.url);
  const sent: Record<string, string> = {
    'content-type': 'application/json',
    'x-workflowlookup-console': '1',
  };
  for (const name of ['cookie', 'authorization'] as const)
    if (headers[name] !== undefined) sent[name] = headers[name];
  const look = await fetch(`${origin}/console/api/sessions`, { headers: sent });
  const given = await fetch(`${origin}/console/api/sessions/${agent.sid()}/answer`, {
    method: 'POST',
    headers: sent,
    body: JSON.stringify(answer),
  });
  return [look.status, given.status];
}

test.each(['127.0.0.1', 'localhost', 'rebound.test'])(
  'a page on another port of %s can’t use the console’s sign-in or read its responses',
  async (name) => {
    const preview = await startPreview();
    const page = await signIn(await browser.open(), server);
    const { origin } = new URL(server.url);
    const other = await page.context().newPage();
    await other.goto(`http://${name}:${preview.port}/`);
    const got = await other.evaluate<Readonly<Record<string, string>>>(attack(origin, agent.sid()));
    expect(got).toEqual(Object.fromEntries(Object.keys(got).map((attempt) => [attempt, 'nothing'])));
    expect(Object.keys(got)).toHaveLength(14);
    // The headers that the browser sent to the other server don't help it either.
    expect(preview.heard.length).toBeGreaterThan(0);
    for (const headers of preview.heard) expect(await replay(headers)).toEqual([401, 401]);
    await expectWaiting(page);
  },
);

test('another name of this machine is another origin, and a rebound name is refused', async () => {
  const page = await signIn(await browser.open(), server);
  const other = await page.context().newPage();
  await other.goto(`http://localhost:${server.port}/console/checkpoints`);
  await other.getByRole('heading', { name: shellMessages.signIn.title }).waitFor();
  const rebound = await other.goto(`http://rebound.test:${server.port}/console/checkpoints`);
  expect([rebound?.status(), await rebound?.json()]).toEqual([403, { error: 'host_not_allowed' }]);
  const got = await other.evaluate<Readonly<Record<string, string>>>(
    attack(new URL(server.url).origin, agent.sid()),
  );
  expect(new Set(Object.values(got))).toEqual(new Set(['nothing']));
  await expectWaiting(page);
});

test('The console’s own page can give the answer that no other page can give', async () => {
  const own = await openAgent(server.url);
  await reachCheckpoint(own);
  const page = await signIn(await browser.open(), server);
  const status = await page.evaluate<number>(`fetch('/console/api/sessions/${own.sid()}/answer', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer ' + localStorage.getItem('workflowlookup.session'),
    },
    body: ${JSON.stringify(JSON.stringify(answer))},
  }).then((response) => response.status)`);
  expect(status).toBe(200);
  await own.close();
});

test('the browser stores no cookie, and the sign-in secret is in no URL, history or request', async () => {
  const page = await browser.open();
  const link = server.console;
  const secret = link.split('#sign-in=')[1] ?? '';
  const sent: string[] = [];
  page.context().on('request', (request) => {
    sent.push(`${request.url()} ${JSON.stringify(request.headers())}`);
  });
  await page.goto(link);
  await page.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  expect(secret).not.toBe('');
  expect(await page.context().cookies()).toEqual([]);
  expect(sent.length).toBeGreaterThan(5);
  expect(sent.filter((line) => line.includes(secret))).toEqual([]);
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain(secret);
});

test('a person stays signed in after a reload and in another tab, and signs out of both at once', async () => {
  const page = await signIn(await browser.open(), server);
  await page.reload();
  await page.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(new URL('/console/sessions', server.url).href);
  await tab.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  await page.getByRole('button', { name: shellMessages.account.signOut }).click();
  for (const one of [page, tab])
    await one.getByRole('heading', { name: shellMessages.signIn.title }).waitFor();
  expect(await tab.evaluate("localStorage.getItem('workflowlookup.session')")).toBeNull();
});

test('An answer that another program stored for this host and port is not sent', async () => {
  const preview = await startPreview();
  const { port } = preview;
  const page = await browser.open();
  await page.goto(`http://127.0.0.1:${port}/`);
  const planted = {
    sid: agent.sid(),
    revision: answer.revision,
    checkpoint: 'approve',
    session: 'Shop',
    option: 'go',
    label: 'Go on',
    note: '',
    state: { kind: 'sending' },
  };
  await page.evaluate(`
    sessionStorage.setItem('workflowlookup.answers', ${JSON.stringify(JSON.stringify([planted]))});
  `);
  for (const end of ends.splice(0)) end();
  const later = await place.start([], { state: 'origins', port });
  await signIn(page, later);
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, later.url).href);
  await page.getByRole('radio', { name: 'Go on' }).waitFor();
  expect((await agent.call('get_workflow_status')).text).toContain('"status":"blocked"');
});

test('An answer that did not reach the server is not sent for somebody who signs in later', async () => {
  const own = await openAgent(server.url);
  await reachCheckpoint(own);
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/checkpoints?sid=${own.sid()}`, server.url).href);
  await page.route('**/console/api/sessions/*/answer', (route) => route.abort());
  await choose(page, 'Go on');
  await page.getByText(checkpointMessages.outbox.states.unreachable('Go on')).waitFor();
  await page.getByRole('button', { name: shellMessages.account.signOut }).click();
  await page.getByRole('heading', { name: shellMessages.signIn.title }).waitFor();
  await page.unroute('**/console/api/sessions/*/answer');
  await signIn(page, server);
  await page.goto(new URL(`/console/sessions/${own.sid()}`, server.url).href);
  await page.getByRole('radio', { name: 'Go on' }).waitFor();
  expect((await own.call('get_workflow_status')).text).toContain('"status":"blocked"');
  await own.close();
});

test('A delayed answer is sent before its person signs out', async () => {
  const own = await openAgent(server.url);
  await reachCheckpoint(own);
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/checkpoints?sid=${own.sid()}`, server.url).href);
  await hold(page, 'Go on');
  await page.getByRole('button', { name: shellMessages.account.signOut }).click();
  await page.getByRole('heading', { name: shellMessages.signIn.title }).waitFor();
  expect(await own.call('resume_checkpoint')).toMatchObject({ isError: false });
  await own.close();
});

test('a signed-in person can export a session and is warned if the file has no seal', async () => {
  const done = await openAgent(server.url);
  await walkThrough(done);
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/sessions/${done.sid()}`, server.url).href);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: sessionMessages.page.export }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${done.sid()}.jsonl`);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const [first = ''] = Buffer.concat(chunks).toString().split('\n');
  expect(JSON.parse(first)).toMatchObject({ session: { sid: done.sid() } });
  const noSeal = page.getByText(sessionMessages.page.noSeal, { exact: true });
  expect(await noSeal.count()).toBe(0);

  const db = driver.open(join(place.workflows(), '..', 'origins', 'sessions.db'));
  db.run('DELETE FROM calls WHERE sid = ?', [done.sid()]);
  db.close();
  await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: sessionMessages.page.export }).click(),
  ]);
  await noSeal.waitFor();
  await done.close();
});

test('an OAuth sign-in works only in the tab that started it', async () => {
  const { port } = await startPreview();
  for (const end of ends.splice(0)) end();
  const at = `http://127.0.0.1:${port}`;
  const issuer = await startAuthorizationServer(`${at}/mcp`);
  ends.push(() => void issuer.close());
  const flags = ['--auth', 'oauth', '--oauth-issuer', issuer.issuer, '--public-url', at];
  const guarded = await place.start([...flags, '--oauth-client-id', 'console'], { port, state: 'oauth' });
  const page = await browser.open();
  await page.goto(guarded.console);
  let returned = '';
  page.on('framenavigated', (frame) => {
    if (frame.url().includes('#sign-in-returned')) returned = frame.url();
  });
  await page.getByRole('button', { name: shellMessages.signIn.oauth }).click();
  await page.getByText(shellMessages.account.connection.live, { exact: true }).waitFor();
  const cookies = await page.context().cookies(at);
  expect(cookies.map(({ name }) => name).filter((name) => name.startsWith('workflowlookup'))).toEqual([]);
  expect(page.url()).toBe(`${at}/console/checkpoints`);
  // The return URL is useless in another browser.
  const stranger = await browser.open();
  await stranger.goto(returned);
  await stranger.getByText(shellMessages.signIn.otherTab).waitFor();
});
