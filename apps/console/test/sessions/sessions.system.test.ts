import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import { openAgent } from '../support/agent.ts';
import { testBrowser } from '../support/browser.ts';
import { consolePlace } from '../support/console-place.ts';
import { signIn } from '../support/sign-in.ts';
import { reachCheckpoint, walkThrough } from '../support/reach-checkpoint.ts';
import { startMany } from '../support/start-many.ts';
import { insightMessages } from '../../src/messages/insights.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';
import { commonMessages, shellMessages } from '../../src/messages/common.ts';

const place = consolePlace();
const browser = testBrowser();

/** The number of sessions in the long list; `npm run test:long` uses as many as a team has in a year. */
const many = isLong ? 10_000 : 300;

const rows = (page: Page) => page.getByRole('table', { name: sessionMessages.list.label }).getByRole('row');

test('the list of sessions updates while it is open, and its URL has the filter', async () => {
  const server = await place.start([], { state: 'live' });
  const page = await signIn(await browser.open(), server);
  await page.getByRole('navigation').getByRole('link', { name: shellMessages.navigation.sessions }).click();
  await page.getByText(sessionMessages.list.empty).waitFor();
  const [reviewer, shipper] = await Promise.all([openAgent(server.url), openAgent(server.url)]);
  await reviewer.call('start_session', { agent_id: 'reviewer', workflow_id: 'review' });
  await page.getByRole('link', { name: 'Review a change' }).waitFor();
  await reviewer.call('next_activity');
  await rows(page).getByText('Read it').waitFor();
  await shipper.call('start_session', { agent_id: 'shipper', workflow_id: 'shop' });
  await page.getByRole('link', { name: 'Ship a change' }).waitFor();

  await page
    .getByRole('combobox', { name: sessionMessages.filters.workflow, exact: true })
    .selectOption('review');
  await page.getByRole('link', { name: 'Ship a change' }).waitFor({ state: 'detached' });
  expect(page.url()).toBe(new URL('/console/sessions?workflow=review', server.url).href);
  await page.reload();
  await page.getByRole('link', { name: 'Review a change' }).waitFor();
  await expect.poll(() => rows(page).count()).toBe(2);
  await page.getByText(sessionMessages.list.allFound).waitFor();
  await page.getByText(sessionMessages.list.count(1, false), { exact: true }).waitFor();
  const status = page.getByRole('combobox', { name: sessionMessages.filters.status });
  await status.selectOption(sessionMessages.filters.open);
  expect(new URL(page.url()).search).toBe('?workflow=review&status=active%2Cblocked%2Cparked');
  await expect.poll(() => rows(page).count()).toBe(2);
  // The box is as wide as its longest label needs.
  const missing = await page.evaluate(`(() => {
    const box = [...document.querySelectorAll('main select')][0];
    const own = box.clientWidth;
    box.style.width = 'max-content';
    return box.clientWidth - own;
  })()`);
  expect(missing).toBeLessThanOrEqual(0);
  // A filtered session stays hidden when it changes.
  await shipper.call('next_activity');
  await reviewer.call('next_activity', { step_manifest: [{ step_id: 'read-it', output: 'Read.' }] });
  await rows(page).getByText('Report', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Ship a change' }).count()).toBe(0);
  await Promise.all([reviewer.close(), shipper.close()]);
});

test('a figure leads to exactly the sessions that did not follow their workflow, and a list has an order', async () => {
  const steps = ['read', 'report'].map((id) => ({ id, title: id, prompt: 'Do it.' }));
  const pair = { id: 'pair', name: 'Two steps', description: 'Two.', version: '1.0.0', steps };
  await writeFile(join(place.workflows(), 'pair.json'), JSON.stringify(pair));
  const server = await place.start([], { state: 'departed' });
  const agents = await Promise.all(['one', 'two', 'three'].map(async () => openAgent(server.url)));
  const [follower, departing, running] = agents;
  for (const agent of [follower, departing, running])
    await agent?.call('start_session', { agent_id: 'walker', workflow_id: 'pair' });
  const submit = { step_manifest: [{ step_id: 'read', output: 'Read.' }] };
  await follower?.call('next_activity');
  await follower?.call('next_activity', submit);
  await follower?.call('next_activity', { step_manifest: [{ step_id: 'report', output: 'Done.' }] });
  // These agents skip the first step.
  for (const agent of [departing, running]) {
    await agent?.call('next_activity');
    await agent?.call('next_activity', { activity_id: 'report' });
  }
  await departing?.call('next_activity', { step_manifest: [{ step_id: 'report', output: 'Done.' }] });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/insights', server.url).href);
  const tile = page.getByRole('link', { name: insightMessages.tiles.followed });
  await tile.getByText(insightMessages.tiles.followedDetail(1, 2)).waitFor();
  await tile.click();
  await expect.poll(() => rows(page).count()).toBe(2);
  await page.locator(`.sessions-body a[href$="/sessions/${departing?.sid()}"]`).waitFor();
  const { filters } = sessionMessages;
  const followed = page.getByRole('combobox', { name: filters.followed });
  expect(await followed.inputValue()).toBe('departed');
  await followed.selectOption(filters.followedOrNot);
  await expect.poll(() => rows(page).count()).toBe(4);
  const order = async (): Promise<readonly string[]> => {
    const links = await page.locator('.sessions-body .sessions-name a').all();
    const shown = await Promise.all(
      links.map(
        async (link) => [(await link.boundingBox())?.y ?? 0, await link.getAttribute('href')] as const,
      ),
    );
    return shown.toSorted(([a], [b]) => a - b).map(([, href]) => href?.split('/').at(-1) ?? '');
  };
  const sids = agents.map((agent) => agent.sid());
  const sort = page.getByRole('combobox', { name: filters.sort });
  await sort.selectOption(filters.sorts['started-first']);
  await expect.poll(order).toEqual(sids);
  await sort.selectOption(filters.sorts.longest);
  // The active session has the longest duration.
  await expect.poll(async () => (await order())[0]).toBe(running?.sid());
  await Promise.all(agents.map((agent) => agent.close()));
});

test(`the list renders only the visible ones of ${many} sessions, down to the last one`, async () => {
  const server = await place.start([], { state: 'many' });
  const first = await startMany(server.url, many);
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/sessions', server.url).href);
  await rows(page).nth(1).waitFor();
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 100_000);
        return page.locator(`.sessions-body a[href$="/sessions/${first}"]`).count();
      },
      { timeout: 20_000 + many * 20, interval: 100 },
    )
    .toBe(1);
  expect(await rows(page).count()).toBeLessThan(80);
  await page.getByText(sessionMessages.list.count(many, false), { exact: true }).waitFor();
  expect(
    await page.getByRole('table', { name: sessionMessages.list.label }).getAttribute('aria-rowcount'),
  ).toBe(`${many + 1}`);
}, 900_000);

test('the head of a long list never covers the focused row', async () => {
  const server = await place.start([], { state: 'keyboard' });
  await startMany(server.url, 40);
  const page = await signIn(await browser.open({ viewport: { width: 1280, height: 500 } }), server);
  await page.goto(new URL('/console/sessions', server.url).href);
  const list = page.getByRole('table', { name: sessionMessages.list.label });
  const links = list.getByRole('link');
  await links.nth(11).waitFor();
  await links.nth(11).focus();
  const below: number[] = [];
  for (let count = 0; count < 11; count += 1) {
    // Scroll a little, so that the rows are not aligned with the head.
    await page.evaluate('scrollBy(0, 9)');
    await page.keyboard.press('Shift+Tab');
    const head = await list.getByRole('rowgroup').first().boundingBox();
    const here = await list.locator('a:focus').boundingBox();
    below.push((here?.y ?? 0) - (head?.y ?? 0) - (head?.height ?? 0));
  }
  expect(Math.min(...below)).toBeGreaterThanOrEqual(0);
});

test('a click anywhere in a row opens its session, and a new session is not idle', async () => {
  const server = await place.start([], { state: 'click' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'shop' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/sessions?age=idle-hour', server.url).href);
  await page.getByText(sessionMessages.list.noMatch).waitFor();
  await page
    .getByRole('combobox', { name: sessionMessages.filters.changed })
    .selectOption(sessionMessages.filters.within(sessionMessages.filters.ages.day));
  await page.getByText(sessionMessages.list.inAll).waitFor();
  await rows(page).nth(1).getByRole('cell', { name: 'shipper' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/sessions/${agent.sid()}`);
  await page.getByRole('button', { name: sessionMessages.page.export }).click();
  await page.getByText(commonMessages.download.saved(`${agent.sid()}.jsonl`)).waitFor();
  await agent.close();
});

test('filters of the insights are saved as a view, which only their page shows', async () => {
  const server = await place.start([], { state: 'click' });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL('/console/insights?age=week', server.url).href);
  const { views } = sessionMessages;
  await page.getByRole('button', { name: views.save }).click();
  await page.getByRole('textbox', { name: views.name }).fill('This week');
  await page.keyboard.press('Enter');
  await page.goto(new URL('/console/insights', server.url).href);
  await page.getByRole('navigation', { name: views.label }).getByRole('link', { name: 'This week' }).click();
  await page.waitForURL('**/console/insights?age=week');
  await page.goto(new URL('/console/sessions', server.url).href);
  await rows(page).nth(1).waitFor();
  expect(await page.getByRole('link', { name: 'This week' }).count()).toBe(0);
});

test('the graph of a workflow with 200 steps shows the current step of a session', async () => {
  const server = await place.start([], { state: 'long' });
  const agent = await openAgent(server.url);
  await agent.call('start_session', { agent_id: 'walker', workflow_id: 'long' });
  for (let at = 0; at < 5; at += 1) await agent.call('next_activity');
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  const picture = page.getByRole('figure', { name: sessionMessages.plan.graph('A long way') });
  await picture.locator('[data-state="current"]').waitFor();
  await expect.poll(() => picture.locator('.react-flow__node').count()).toBeGreaterThan(200);
  const plan = page.getByRole('list', { name: sessionMessages.plan.list });
  await expect.poll(() => plan.getByRole('listitem').count()).toBe(200);
  await agent.close();
});

test('the timeline shows a refused output beside what it missed, and a node of the graph leads there', async () => {
  const server = await place.start([], { state: 'timeline' });
  const agent = await openAgent(server.url);
  await reachCheckpoint(agent);
  await agent.call('respond_checkpoint', { option_id: 'go' });
  const step_manifest = [
    { step_id: 'write-plan', output: 'Short.' },
    { step_id: 'ask', output: 'Asked.' },
  ];
  expect(await agent.call('next_activity', { step_manifest })).toMatchObject({ isError: true });
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  // Click its title, because edges between its steps may cover its middle.
  await page
    .locator('.react-flow__node')
    .filter({ hasText: 'Plan the change' })
    .first()
    .click({ position: { x: 10, y: 10 } });
  const timeline = page.getByRole('list', { name: sessionMessages.timeline.label });
  const refused = timeline.getByRole('listitem').filter({
    hasText: sessionMessages.events.refused('next_activity', 'Plan the change'),
  });
  await refused.getByText('Short.', { exact: true }).waitFor();
  await refused.getByText('Say more than a word.').first().waitFor();
  expect(new URL(page.url()).search).toBe('?tab=timeline&activity=plan');
  // The step as the workflow defines it is above its events.
  await page.getByRole('heading', { name: 'Plan the change' }).waitFor();
  await page
    .getByRole('combobox', { name: sessionMessages.timeline.show })
    .selectOption(sessionMessages.timeline.kinds.refused);
  await expect.poll(() => timeline.locator('> li[data-tone="done"]').count()).toBe(0);
  await refused.waitFor();
  await agent.close();
});

test('a comparison is chosen by the titles of sessions', async () => {
  const server = await place.start([], { state: 'compare' });
  const [first, second] = await Promise.all([openAgent(server.url), openAgent(server.url)]);
  await reachCheckpoint(first);
  await walkThrough(second);
  const page = await signIn(await browser.open(), server);
  await page.goto(new URL(`/console/compare?a=${first.sid()}`, server.url).href);
  const other = page.getByRole('region', { name: sessionMessages.compare.second });
  await other.getByRole('searchbox').fill('nothing has this word');
  await other.getByText(sessionMessages.compare.noMatch).waitFor();
  await other.getByRole('searchbox').fill('ship');
  await other.getByRole('button', { name: 'Ship a change' }).click();
  await page.getByRole('heading', { name: sessionMessages.compare.tables.plan }).waitFor();
  expect(page.url()).toContain(`b=${second.sid()}`);
  const times = page.getByRole('group', { name: sessionMessages.compare.tables.times });
  // The first session has not made the change yet.
  const change = times.getByRole('row', { name: 'Make the change' });
  const [ofFirst, ofSecond] = await change.getByRole('cell').allTextContents();
  expect(ofFirst).toBe(commonMessages.none);
  expect(ofSecond).toMatch(/\d s|\d ms/);
  await Promise.all([first.close(), second.close()]);
});

test('a phone shows the plan as a list before the graph, and nothing overflows its card', async () => {
  const server = await place.start([], { state: 'phone' });
  const agent = await openAgent(server.url);
  await walkThrough(agent);
  const page = await signIn(await browser.open({ viewport: { width: 390, height: 844 } }), server);
  await page.goto(new URL(`/console/sessions/${agent.sid()}`, server.url).href);
  const picture = page.getByRole('figure', { name: sessionMessages.plan.graph('Ship a change') });
  const plan = page.getByRole('list', { name: sessionMessages.plan.list });
  const [list, graph] = [await plan.boundingBox(), await picture.boundingBox()];
  expect(list?.y ?? Infinity).toBeLessThan(graph?.y ?? 0);
  const card = await page.locator('.fact-grid').boundingBox();
  const seal = await page.locator('.fact-grid .tag').boundingBox();
  expect((seal?.x ?? 0) + (seal?.width ?? Infinity)).toBeLessThan((card?.x ?? 0) + (card?.width ?? 0));
  await agent.close();
});
