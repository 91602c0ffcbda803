// Takes the screenshots of the console in docs/images. It starts the built server and simulates agents.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from '../packages/mcp/dist/client.js';
import { findChromium } from './chromium.mjs';
import { showSession } from './support/demo-session.mjs';
import { root } from './support/workspace.mjs';

const { chromium } = createRequire(join(root, 'apps/console/package.json'))('playwright-core');

/** The agents and workflows of the other sessions. */
const others = [
  ['claude', 'release'],
  ['codex', 'change-review'],
  ['claude', 'incident-response'],
  ['cursor', 'bug-investigation'],
  ['codex', 'issue-to-merge'],
  ['claude', 'dependency-upgrade'],
];

/**
 * The screenshots by file name: the page, the element to wait for, the actions, the colour scheme and the window size.
 */
const pictures = {
  'console-checkpoints': { path: 'checkpoints', shows: 'article', scheme: 'light', size: { height: 960 } },
  'console-session': {
    path: (sid) => `sessions/${sid}`,
    shows: '.react-flow__node',
    act: async (page) => {
      await page.getByLabel('Full height').check();
      await page.getByRole('tablist').evaluate((tabs) => tabs.scrollIntoView());
    },
    scheme: 'light',
    size: { width: 1500, height: 1000 },
  },
  'console-sessions': { path: 'sessions', shows: '[role=row] a', scheme: 'dark' },
  'console-editor': {
    path: 'edit?source=custom-1&file=release.yaml',
    shows: '.empty',
    act: async (page) => {
      await page.getByRole('tab', { name: 'Graph' }).click();
      await page.locator('.react-flow__node').first().waitFor();
    },
    scheme: 'dark',
  },
};

const usualSize = { width: 1200, height: 760 };

const place = mkdtempSync(join(tmpdir(), 'workflowlookup-screenshots-'));
const images = join(root, 'docs/images');
mkdirSync(images, { recursive: true });
mkdirSync(join(place, 'workflows'));
copyFileSync(join(root, 'workflows/definitions/release.yaml'), join(place, 'workflows/release.yaml'));

const flags = '--port 0 --no-user --no-project'.split(' ');
flags.push('--state', join(place, 'state'));
for (const flag of ['--workflows', '--writable']) flags.push(flag, join(place, 'workflows'));

const server = spawn(process.execPath, [join(root, 'apps/http/dist/main.js'), ...flags], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const url = (await lines.next()).value;
  const address = (await lines.next()).value;
  const sid = await work(url);
  await photograph(address, sid);
} finally {
  server.kill();
  rmSync(place, { recursive: true, force: true });
}

/** Simulates agents. Returns the id of the session that waits for a person. */
async function work(url) {
  for (const [agent, workflow] of others) {
    const connection = await connect({ url });
    const started = await connection.call('start_session', { agent_id: agent, workflow_id: workflow });
    await connection.call('next_activity', { session_token: JSON.parse(started.text).session_token });
    await connection.close();
  }
  const connection = await connect({ url });
  let sid;
  const watched = {
    async call(name, args) {
      const answer = await connection.call(name, args);
      if (name === 'start_session') sid = JSON.parse(answer.text).session_id;
      return answer;
    },
  };
  await showSession(watched, () => {});
  await connection.close();
  return sid;
}

async function photograph(address, sid) {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  // Sign in once and keep the context, because the link works only once.
  const context = await browser.newContext({ viewport: usualSize });
  const first = await context.newPage();
  await first.goto(address);
  await first.getByText('Live', { exact: true }).waitFor();
  await first.close();
  for (const [name, { path, shows, act, scheme, size }] of Object.entries(pictures)) {
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ ...usualSize, ...size });
    await page.goto(new URL(`/console/${typeof path === 'string' ? path : path(sid)}`, address).href);
    await page.locator(shows).first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await act?.(page);
    await page.locator('img').evaluateAll((shown) => Promise.all(shown.map((image) => image.decode())));
    await page.screenshot({ path: join(images, `${name}.png`) });
    await page.close();
  }
  await browser.close();
}
