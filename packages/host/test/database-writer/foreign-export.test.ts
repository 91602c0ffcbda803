import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operator } from '@workflowlookup/core/operator';
import type { Sessions } from '@workflowlookup/core/sessions';
import { createSessions } from '@workflowlookup/core/sessions';
import type { StateStore } from '@workflowlookup/storage';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errands } from '../../../core/test/support/test-server.ts';
import { keyRing } from '../../../core/test/support/tokens.ts';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { keys, operatorOver, partsOver, problemsIn } from '../support/filled-store.ts';

interface Server {
  readonly store: StateStore;
  readonly sessions: Sessions;
  readonly operator: Operator;
}

let folder: string;
let opened: StateStore[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foreign-export-'));
  opened = [];
});

afterEach(async () => {
  for (const store of opened) await store.close();
  await rm(folder, { recursive: true, force: true });
});

function server(name: string, ownKeys = keys): Server {
  const file = join(folder, `${name}.db`);
  const store = createSqliteSessionStore({ file, keys: () => ownKeys, delayMs: 1 });
  opened.push(store);
  const parts = { ...partsOver(store), random: (length: number) => randomBytes(length) };
  return { store, sessions: createSessions(parts), operator: operatorOver(parts, store) };
}

interface Definition {
  readonly activities: { id: string; format: string; text: string }[];
}

/** Changes a part of a definition that its digest does not cover. */
function poison({ activities }: Definition): void {
  Object.assign(activities[0] ?? {}, { format: 'toon', text: 'POISON' });
}

/** Exports a session from another server. Its definition differs in a part that the digest does not cover. */
async function poisonedExport(change = poison): Promise<readonly string[]> {
  const { sessions, operator, store } = server('elsewhere', keyRing(2));
  await sessions.start({ agentId: 'eve', workflowId: 'errands' });
  const { sessions: rows } = await store.find({});
  const lines: string[] = [];
  for await (const line of operator.export(rows[0]?.sid ?? '')) lines.push(line);
  const [header = '', ...rest] = lines;
  const parsed = JSON.parse(header) as { definition: Definition };
  change(parsed.definition);
  return [JSON.stringify(parsed), ...rest];
}

async function* asLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function importOf({ operator }: Server, lines: readonly string[]): Promise<string> {
  return (await operator.import(asLines(lines))).sid;
}

describe('The definition in an export that no key of this server sealed', () => {
  it('is never used for other sessions with the same digest', async () => {
    const here = server('here');
    const imported = await importOf(here, await poisonedExport());
    // Reading the import must not cache its definition for the sessions of this server either.
    await here.operator.contents(imported);
    await here.sessions.start({ agentId: 'baker', workflowId: 'errands' });
    expect(await here.store.getDefinition(errands.digest)).toEqual(JSON.parse(JSON.stringify(errands)));
    const own = (await here.store.find({})).sessions.find(({ sid }) => sid !== imported)?.sid ?? '';
    const { workflow } = await here.operator.contents(own);
    expect(workflow).toMatchObject({ activities: [{ id: 'fetch', text: '' }, { id: 'bake' }] });
    expect(await problemsIn(here.store)).toEqual([]);
  });

  it('is refused if its activities have other ids', async () => {
    const lines = await poisonedExport(({ activities: [first, second] }) => {
      if (first !== undefined && second !== undefined) [first.id, second.id] = [second.id, first.id];
    });
    const here = server('here');
    await expect(importOf(here, lines)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      data: { line: 1 },
    });
  });

  it('has no seal, even after its session is sealed again, and the session stays readable', async () => {
    const here = server('here');
    const sid = await importOf(here, await poisonedExport());
    const unauthentic = { code: 'STORE_DAMAGED', data: { reason: 'unauthentic' } };
    await expect(here.store.getDefinition(errands.digest)).rejects.toMatchObject(unauthentic);
    expect(await problemsIn(here.store)).toEqual([]);
    expect(await here.operator.seal(sid)).toEqual({ sid, how: 'renewed' });
    await expect(here.store.getDefinition(errands.digest)).rejects.toMatchObject(unauthentic);
    expect(await here.operator.history(sid)).toMatchObject({ session: { sid } });
    const again: string[] = [];
    for await (const line of here.operator.export(sid)) again.push(line);
    expect(again.at(0)).toContain('POISON');
  });

  it('is not stored if the import is refused because the session already exists', async () => {
    const here = server('here');
    const lines = await poisonedExport();
    const sid = await importOf(here, lines);
    otherConnection(join(folder, 'here.db')).exec('PRAGMA foreign_keys=OFF; DELETE FROM definitions');
    await expect(importOf(here, lines)).rejects.toMatchObject({ code: 'CONFLICT', data: { sid } });
    expect(await here.store.getDefinition(errands.digest, { isUnsealedToo: true })).toBeUndefined();
  });
});

describe('A stored definition with a seal that differs from the served one', () => {
  it('is replaced at the next start, also in the cache', async () => {
    const here = server('here');
    await here.sessions.start({ agentId: 'baker', workflowId: 'errands' });
    const sid = (await here.store.find({})).sessions[0]?.sid ?? '';
    const poisoned = structuredClone(errands) as unknown as Definition;
    poison(poisoned);
    await here.store.putDefinition(errands.digest, JSON.parse(JSON.stringify(poisoned)), { isServed: true });
    expect(JSON.stringify((await here.operator.contents(sid)).workflow)).toContain('POISON');
    await here.sessions.start({ agentId: 'baker', workflowId: 'errands' });
    expect(await here.store.getDefinition(errands.digest)).toEqual(JSON.parse(JSON.stringify(errands)));
    expect(JSON.stringify((await here.operator.contents(sid)).workflow)).not.toContain('POISON');
  });
});

describe('The export of a session whose rows are hidden from the export but not from its verification', () => {
  it.for<[what: string, hide: (store: StateStore) => Partial<StateStore>]>([
    ['a call', (store) => ({ calls: async (sid, range) => (await store.calls(sid, range)).slice(1) })],
    [
      'the last call',
      (store) => ({ calls: async (sid, range) => (await store.calls(sid, range)).slice(0, -1) }),
    ],
    ['an agent', (store) => ({ agents: async (sid) => (await store.agents(sid)).slice(1) })],
  ])('has no seal: %s', async ([, hide]) => {
    const { sessions, store } = server('here');
    const { token } = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
    await sessions.move(token, {});
    const sid = (await store.find({})).sessions[0]?.sid ?? '';
    const lastLine = async (seen: StateStore): Promise<string> => {
      let last = '';
      for await (last of operatorOver(partsOver(seen), seen).export(sid));
      return last;
    };
    expect(JSON.parse(await lastLine(store))).toHaveProperty('seal');
    expect(JSON.parse(await lastLine({ ...store, ...hide(store) }))).not.toHaveProperty('seal');
  });

  it('has a seal if calls were added since its verification', async () => {
    const { sessions, store, operator } = server('here');
    await sessions.start({ agentId: 'baker', workflowId: 'errands' });
    const sid = (await store.find({})).sessions[0]?.sid ?? '';
    const verified = await operator.verify(sid);
    const { length } = await store.calls(sid);
    await store.recordCall(sid, { name: 'get_workflow_status' });
    let last = '';
    for await (last of operator.export(sid, verified));
    expect(JSON.parse(last)).toMatchObject({ calls: length + 1, seal: expect.any(String) as string });
  });
});

describe('The export of a session with deleted calls in its trace', () => {
  it('has no seal, so that it is not authentic after an import', async () => {
    const here = server('here');
    const { token } = await here.sessions.start({ agentId: 'baker', workflowId: 'errands' });
    await here.sessions.move(token, {});
    const sid = (await here.store.find({})).sessions[0]?.sid ?? '';
    const exported = async (): Promise<readonly string[]> => {
      const lines: string[] = [];
      for await (const line of here.operator.export(sid)) lines.push(line);
      return lines;
    };
    expect(JSON.parse((await exported()).at(-1) ?? '')).toHaveProperty('seal');
    otherConnection(join(folder, 'here.db')).exec('DELETE FROM calls WHERE seq = 1');
    const lines = await exported();
    expect(JSON.parse(lines.at(-1) ?? '')).not.toHaveProperty('seal');
    const there = server('there');
    const imported = await there.operator.import(asLines(lines));
    expect(imported).toMatchObject({ sid, imported: { isAuthentic: false } });
  });
});
