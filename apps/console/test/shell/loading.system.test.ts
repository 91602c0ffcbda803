import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openAgent } from '../support/agent.ts';
import { testBrowser } from '../support/browser.ts';
import type { ConsoleServer } from '../support/console-place.ts';
import { consolePlace } from '../support/console-place.ts';
import { reachCheckpoint } from '../support/reach-checkpoint.ts';
import { signIn } from '../support/sign-in.ts';

const place = consolePlace();
const browser = testBrowser();

let server: ConsoleServer;
let sid: string;

beforeAll(async () => {
  server = await place.start();
  const agent = await openAgent(server.url);
  await reachCheckpoint(agent);
  sid = agent.sid();
  await agent.close();
});

/** Records the requests for data that a page sends. */
function noteRequests(page: Page): { readonly sent: readonly string[]; clear(): void } {
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' && pathname.startsWith('/console/api/'))
      sent.push(pathname.replace('/console/api', '') + search);
  });
  return { sent, clear: () => void sent.splice(0) };
}

test('A page sends each of its requests once, before the rest of its code is loaded', async () => {
  const page = await signIn(await browser.open(), server);
  const pages: Readonly<Record<string, readonly [shows: string, early: readonly string[]]>> = {
    checkpoints: ['article input', ['/me', '/checkpoints', `/checkpoints/${sid}`]],
    [`checkpoints?sid=${sid}`]: ['article input', ['/me', '/checkpoints', `/checkpoints/${sid}`]],
    sessions: ['.sessions-body a', ['/me', '/sessions?limit=100']],
    'sessions?status=blocked&search=plan': [
      '.sessions-body a',
      ['/me', '/sessions?status=blocked&search=plan&limit=100'],
    ],
    [`sessions/${sid}`]: ['.plan-list a', ['/me', `/sessions/${sid}`]],
    [`sessions/${sid}?tab=timeline`]: [
      '.timeline > li',
      ['/me', `/sessions/${sid}`, `/sessions/${sid}/events?after=0&limit=200`],
    ],
    workflows: ['.catalogue a', ['/me', '/workflows']],
    'workflows/shop': ['.react-flow__node', ['/me', '/workflows/shop']],
    insights: ['.tiles', ['/me', '/insights']],
    'insights?workflow=shop': ['.tiles', ['/me', '/insights?workflow=shop']],
    'edit?source=custom-1&file=review.yaml': ['.editor', ['/me', '/text?source=custom-1&file=review.yaml']],
    health: ['main table', ['/me', '/health']],
  };
  // The change stream repeats what changed within two seconds before a page was opened.
  await page.goto('about:blank');
  await page.waitForTimeout(2_500);
  const requests = noteRequests(page);
  const code = '**/assets/main-*.js';
  for (const [path, [shows, early]] of Object.entries(pages)) {
    const address = new URL(`/console/${path}`, server.url).href;
    await page.route(code, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    requests.clear();
    await page.goto(address);
    await expect.poll(() => requests.sent.toSorted(), { message: path }).toEqual(early.toSorted());
    await page.unroute(code);
    requests.clear();
    await page.goto(address);
    await page.locator(shows).first().waitFor();
    // Another request for the same data would follow at once.
    await page.waitForTimeout(300);
    for (const one of early)
      expect(
        requests.sent.filter((other) => other === one),
        `${path}: ${one}`,
      ).toHaveLength(1);
  }
});

test('The graph of a workflow is loaded at the same time as its page, and not after the data', async () => {
  const page = await signIn(await browser.open(), server);
  await page.route('**/console/api/workflows/shop', (route) => route.abort());
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  await page.goto(new URL('/console/workflows/shop', server.url).href);
  await expect.poll(() => scripts).toContainEqual(expect.stringContaining('/assets/workflow-graph-'));
});

test('A page is shown before a formatter of numbers or times is created, which is slow', async () => {
  const page = await signIn(await browser.open(), server);
  await page.addInitScript(`
    globalThis.made = [];
    for (const name of ['NumberFormat', 'DateTimeFormat'])
      Intl[name] = new Proxy(Intl[name], {
        construct(target, args) {
          made.push(name + (document.querySelector('time') === null ? ' before' : ' after') + ' the page');
          return Reflect.construct(target, args);
        },
      });
  `);
  await page.goto(new URL('/console/workflows/shop', server.url).href);
  await page.locator('.react-flow__node').first().waitFor();
  expect(await page.evaluate('made')).toEqual([]);
  await page.goto(new URL('/console/sessions', server.url).href);
  // The tooltips with exact times are added later.
  await page.locator('.sessions-body time[title]').first().waitFor();
  expect(await page.evaluate('made')).toEqual(['DateTimeFormat after the page']);
});
