import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  mkdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHost } from '../src/create-host.ts';
import type { HookAct } from '../src/hook-acts.ts';
import { appendHookLine, hookLines, pruneHookAgents, readHookActs } from '../src/hook-acts.ts';

function openState(): string {
  const state = mkdtempSync(join(tmpdir(), 'workflowlookup-hooks-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  return state;
}

const act: HookAct = { at: '2026-03-01T10:00:00.000Z', client: 'codex', rule: 'stop', act: 'blocked' };

test('Truncated and invalid lines are ignored', () => {
  const state = openState();
  expect(readHookActs(state)).toEqual([]);
  appendHookLine(state, 'acts.jsonl', act);
  writeFileSync(join(state, 'hooks', 'acts.jsonl'), '{"at":"2026-03-01T10:0\n[]\n{}\n', { flag: 'a' });
  expect(readHookActs(state)).toEqual([act]);
});

test('A file of hooks has a maximum size, and keeps the newest lines', () => {
  const state = openState();
  const text = 'x'.repeat(100_000);
  for (let at = 0; at < 60; at += 1) appendHookLine(state, 'errors.jsonl', { at, text });
  const kept = hookLines(state, 'errors.jsonl').map((line) => (JSON.parse(line) as { at: number }).at);
  expect(kept.at(-1)).toBe(59);
  expect(kept.length).toBeGreaterThan(9);
  const folder = join(state, 'hooks');
  const bytes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(Math.max(...bytes)).toBeLessThan(1.2 * 1024 * 1024);
  expect(bytes).toHaveLength(2);
});

test('Agents without activity for 30 days are removed, once a day', () => {
  const state = openState();
  const agents = join(state, 'hooks', 'agents');
  pruneHookAgents(state, Date.now());
  mkdirSync(agents, { recursive: true });
  const write = (name: string, days: number): void => {
    writeFileSync(join(agents, name), '{}');
    const time = new Date(Date.now() - days * 86_400_000);
    utimesSync(join(agents, name), time, time);
  };
  write('old.json', 31);
  write('new.json', 29);
  pruneHookAgents(state, Date.now());
  expect(readdirSync(agents)).toEqual(['new.json']);
  write('old.json', 31);
  pruneHookAgents(state, Date.now());
  expect(existsSync(join(agents, 'old.json'))).toBe(true);
  pruneHookAgents(state, Date.now() + 86_400_001);
  expect(existsSync(join(agents, 'old.json'))).toBe(false);
});

test('The newest 5,000 agents are kept', () => {
  const state = openState();
  const agents = join(state, 'hooks', 'agents');
  mkdirSync(agents, { recursive: true });
  for (let at = 0; at < 5003; at += 1) {
    writeFileSync(join(agents, `${at}.json`), '{}');
    const time = new Date(Date.now() - at * 1000);
    utimesSync(join(agents, `${at}.json`), time, time);
  }
  pruneHookAgents(state, Date.now());
  expect(readdirSync(agents)).toHaveLength(5000);
  expect(existsSync(join(agents, '5000.json'))).toBe(false);
});

test('Insights count the acts of the hooks for the sessions that they are about', async () => {
  const state = openState();
  const host = createHost({ stateDirectory: state, workingDirectory: state, homeDirectory: state });
  onTestFinished(() => host.close());
  const started = await host.sessions.start({ agentId: 'a', workflowId: 'meta' });
  const { sid } = started.value;
  const acts: readonly HookAct[] = [
    { ...act, sid },
    { ...act, sid },
    { ...act, rule: 'edit', act: 'denied' },
    { ...act, sid: '0'.repeat(20) },
  ];
  for (const one of acts) appendHookLine(state, 'acts.jsonl', one);
  const blocked = { action: 'stop: blocked', tag: 'hook:stop: blocked', count: 2, sessions: 1 };
  const denied = { action: 'edit: denied', tag: 'hook:edit: denied', count: 1, sessions: 0 };
  expect((await host.operator.insights()).hooks).toEqual([blocked, denied]);
  expect((await host.operator.insights({ workflowId: 'meta' })).hooks).toEqual([blocked]);
  expect((await host.operator.insights({ before: '2026-03-01T10:00:00.000Z' })).hooks).toEqual([]);
  expect((await host.operatorOf({ principal: 'local' }).insights()).hooks).toEqual([blocked]);
});
