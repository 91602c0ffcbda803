// `node scripts/run.mjs pages [--sessions N] [--waiting N] [--rounds N] [--only PAGE]... [--state DIR]
// [--http-server FILE]` measures how long each page of the console takes until a person can use it, with 10,000 sessions
// of which 1,000 wait at a checkpoint.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findChromium } from '../scripts/chromium.mjs';
import { fillShop, writeShop } from './sessions/console-sessions.mjs';
import { makeState } from './sessions/kept-sessions.mjs';
import { figuresOf } from './figures/statistics.mjs';
import { layOut } from './figures/table.mjs';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '10000' },
    waiting: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', multiple: true },
    state: { type: 'string' },
    'http-server': { type: 'string' },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const httpFile = resolve(values['http-server'] ?? here('../apps/http/dist/main.js'));
const [sessions, waiting, rounds] = [values.sessions, values.waiting, values.rounds].map(Number);
const { chromium } = createRequire(here('../apps/console/package.json'))('playwright-core');

const scratch = await mkdtemp(join(tmpdir(), 'workflowlookup-pages-'));
try {
  const definitions = await writeShop(join(scratch, 'definitions'));
  const state = resolve(values.state ?? join(scratch, 'state'));
  if (!existsSync(state)) {
    console.error(`Creating ${sessions} sessions, ${waiting} of them at a checkpoint …`);
    await makeState(state, (stateDirectory) => fillShop({ definitions, stateDirectory, sessions, waiting }));
  }
  await measure({ definitions, state });
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
}

/** The pages. Each has the element that must be visible before a person can use it, and its link in the navigation. */
function pagesOf(sid, other) {
  return {
    checkpoints: {
      path: 'checkpoints',
      usable: 'article input[type=radio]:enabled',
      link: '.nav a[href$="/checkpoints"]',
    },
    sessions: { path: 'sessions', usable: '.sessions-body a', link: '.nav a[href$="/sessions"]' },
    'sessions, searched': { path: 'sessions?search=issue+1', usable: '.sessions-body a' },
    'a session': { path: `sessions/${sid}`, usable: '.plan-list a' },
    'its timeline': { path: `sessions/${sid}?tab=timeline`, usable: '.timeline > li' },
    'two sessions': { path: `compare?a=${sid}&b=${other}`, usable: '.compare-chosen a, main table' },
    workflows: { path: 'workflows', usable: '.catalogue a', link: '.nav a[href$="/workflows"]' },
    'a workflow': { path: 'workflows/shop', usable: '.react-flow__node' },
    'the editor': { path: 'edit?source=custom-1&file=shop%2Fworkflow.json', usable: '.editor' },
    criteria: { path: 'judge', usable: 'main textarea' },
    insights: { path: 'insights', usable: '.tiles a', link: '.nav a[href$="/insights"]' },
    health: { path: 'health', usable: 'main table', link: '.nav a[href$="/health"]' },
  };
}

async function measure({ definitions, state }) {
  const flags = ['--port', '0', '--rate-limit', '0', '--no-bundled', '--no-user', '--no-project'];
  const places = ['--workflows', definitions, '--writable', definitions, '--state', state];
  const server = spawn(process.execPath, [httpFile, ...flags, ...places], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: scratch,
  });
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    await lines.next();
    const address = (await lines.next()).value;
    const context = await browser.newContext({ viewport: { width: 1360, height: 900 } });
    await context.addInitScript(watch);
    const page = await context.newPage();
    await page.goto(address);
    await page.locator(pagesOf().checkpoints.usable).first().waitFor({ timeout: 120_000 });
    await countAll(page, address);
    const [sid, other] = await completedSids(page, address);
    await print(browser, context, { address, pages: pagesOf(sid, other) });
  } finally {
    await browser.close();
    server.kill();
  }
}

/** Waits until all sessions are counted. After an upgrade, the server does that once in the background. */
async function countAll(page, address) {
  const startMs = performance.now();
  await page.goto(new URL('/console/insights', address).href);
  for (;;) {
    const behind = await page.evaluate(async () => {
      const token = localStorage.getItem('workflowlookup.session');
      const headers = { authorization: `Bearer ${token}` };
      return (await (await fetch('/console/api/insights', { headers })).json()).behind;
    });
    if (behind === 0) break;
    await new Promise((done) => setTimeout(done, 500));
  }
  console.error(`The server has counted all sessions after ${Math.round(performance.now() - startMs)} ms.`);
}

async function completedSids(page, address) {
  await page.goto(new URL('/console/sessions?status=completed', address).href);
  await page.locator('.sessions-body a').nth(1).waitFor();
  const links = await page
    .locator('.sessions-body .sessions-name a')
    .evaluateAll((all) => all.map(({ href }) => href));
  return links.map((href) => href.split('/').at(-1));
}

async function print(browser, context, { address, pages }) {
  const keep = await context.storageState();
  const url = (path) => new URL(`/console/${path}`, address).href;
  const lines = [['page', 'empty cache', 'new tab', 'reload', 'in the app', 'layout shift']];
  for (const [name, { path, usable, link }] of Object.entries(pages)) {
    if (values.only?.includes(name) === false) continue;
    const series = { empty: [], tab: [], reload: [], app: [] };
    let shift = 0;
    for (let round = 0; round < rounds; round += 1) {
      const fresh = await browser.newContext({ viewport: { width: 1360, height: 900 }, storageState: keep });
      await fresh.addInitScript(watch);
      series.empty.push(await load(await fresh.newPage(), (page) => page.goto(url(path)), usable));
      await fresh.close();
      const tab = await context.newPage();
      series.tab.push(await load(tab, (page) => page.goto(url(path)), usable));
      series.reload.push(await load(tab, (page) => page.reload(), usable));
      await tab.waitForTimeout(300);
      shift = Math.max(shift, await tab.evaluate(() => globalThis.pageWatch.shift));
      if (link !== undefined) series.app.push(await follow(tab, { link, usable, from: otherThan(link) }));
      await tab.close();
    }
    const cells = Object.values(series).map((times) => (times.length === 0 ? '' : cellOf(times)));
    lines.push([name, ...cells, shift.toFixed(3)]);
    console.error(lines.at(-1).join('  '));
  }
  console.log(
    `${sessions} sessions, ${waiting} at a checkpoint, ${rounds} rounds; minimum / median in ms.\n`,
  );
  console.log(layOut(lines));
}

function cellOf(times) {
  const { min, median } = figuresOf(times);
  return `${Math.round(min)} / ${Math.round(median)}`;
}

function otherThan(link) {
  return link.includes('health') ? '.nav a[href$="/workflows"]' : '.nav a[href$="/health"]';
}

/** Opens a page. Resolves to the milliseconds from the start of the navigation until the page can be used. */
async function load(page, open, usable) {
  await page.addInitScript((selector) => globalThis.pageWatch.until(selector), usable);
  await open(page);
  return page.evaluate(() => globalThis.pageWatch.usable);
}

/** Opens another page and clicks the link back. Resolves to the milliseconds from that click until the page can be used. */
async function follow(page, { link, usable, from }) {
  await page.locator(from).click();
  await page.locator(usable).first().waitFor({ state: 'detached' });
  await page.evaluate(
    ([selector, wanted]) => {
      addEventListener('click', () => globalThis.pageWatch.until(wanted), { capture: true, once: true });
      document.querySelector(selector).click();
    },
    [link, usable],
  );
  return page.evaluate(() => globalThis.pageWatch.usable);
}

/** Runs in each page, before its own scripts. */
function watch() {
  const pageWatch = {
    shift: 0,
    usable: undefined,
    /** Checks for an element in every frame, and resolves `usable` with the milliseconds until it appeared. */
    until(selector) {
      const startMs = performance.now() < 50 ? 0 : performance.now();
      pageWatch.usable = new Promise((done) => {
        const look = () => {
          if (document.querySelector(selector) === null) requestAnimationFrame(look);
          else done(performance.now() - startMs);
        };
        look();
      });
    },
  };
  globalThis.pageWatch = pageWatch;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) pageWatch.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
}
