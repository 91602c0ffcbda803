import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordAnsweredCall } from '@workflowlookup/host/hook-acts';
import { expect, onTestFinished, test } from 'vitest';
import type { Bindings } from '../../src/hooks/hook/bindings.ts';
import { emptyBinding, fileBindings } from '../../src/hooks/hook/bindings.ts';

function openState(): { readonly state: string; readonly bindings: Bindings } {
  const state = mkdtempSync(join(tmpdir(), 'workflowlookup-bindings-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  return { state, bindings: fileBindings(state) };
}

const agent = { session: 'c1', agent: '' };
const binding = { sessions: [{ sid: 'a', token: 'wl_a', at: '2026-03-01T10:00:00Z' }] };

test('A binding is stored for each agent and each session of a client', () => {
  const { bindings } = openState();
  bindings.save(agent, binding);
  expect(bindings.load(agent)).toEqual(binding);
  for (const other of [
    { ...agent, session: 'c2' },
    { ...agent, agent: 'helper' },
  ])
    expect(bindings.load(other)).toEqual(emptyBinding);
});

test.each(['', '{', 'null', '{}', '[]', '{"sessions": 7}'])(
  'A damaged file binds nothing, and the agent can bind itself again: %j',
  (text) => {
    const { state, bindings } = openState();
    bindings.save(agent, binding);
    bindings.saveCleared('1', 'c1');
    const folder = join(state, 'hooks', 'agents');
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
    expect(bindings.load(agent)).toEqual(emptyBinding);
    expect(bindings.takeCleared('1')).toBeUndefined();
    bindings.save(agent, binding);
    expect(bindings.load(agent)).toEqual(binding);
  },
);

test('The session that was cleared in a process is taken once, and kept apart from those of agents', () => {
  const { bindings } = openState();
  expect(bindings.takeCleared('1')).toBeUndefined();
  bindings.saveCleared('1', 'c1');
  bindings.saveCleared('1', 'c2');
  expect(bindings.takeCleared('2')).toBeUndefined();
  expect(bindings.takeCleared('1')).toBe('c2');
  expect(bindings.takeCleared('1')).toBeUndefined();
  expect(bindings.load({ session: '1', agent: '' })).toEqual(emptyBinding);
});

test('A call is found by the full id that its client gave it, the newest first', () => {
  const { state, bindings } = openState();
  expect(bindings.call('toolu_1')).toBeUndefined();
  for (const [id, token] of [
    ['toolu_1', 'wl_a'],
    ['toolu_12', 'wl_b'],
    ['toolu_1', 'wl_c'],
    ['"', 'wl_d'],
  ] as const)
    recordAnsweredCall(state, { id, tool: 'start_session', token });
  expect(bindings.call('toolu_1')).toEqual({ id: 'toolu_1', tool: 'start_session', token: 'wl_c' });
  expect(bindings.call('"')?.token).toBe('wl_d');
  expect(bindings.call('toolu')).toBeUndefined();
});
