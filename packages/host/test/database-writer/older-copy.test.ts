import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnchoredHead, Operator } from '@workflowlookup/core/operator';
import type { Sessions } from '@workflowlookup/core/sessions';
import { anchorLine } from '@workflowlookup/core/operator';
import { createSessions } from '@workflowlookup/core/sessions';
import type { StateStore } from '@workflowlookup/storage';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { keys, operatorOver, partsOver } from '../support/filled-store.ts';

interface Server {
  readonly store: StateStore;
  readonly sessions: Sessions;
  readonly operator: Operator;
}

let folder: string;
let file: string;
/** The lines that servers wrote to their anchor. */
let lines: string[];
/** The shared clock of all servers. */
let tick = Date.parse('2026-03-01T10:00:00Z');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'older-copy-'));
  file = join(folder, 'sessions.db');
  lines = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function serving<Result>(work: (server: Server) => Promise<Result>): Promise<Result> {
  const store = createSqliteSessionStore({ file, keys: () => keys, delayMs: 1 });
  const onHead = (head: AnchoredHead): void => {
    if (store.seals !== undefined) lines.push(anchorLine(store.seals, head));
  };
  const parts = { ...partsOver(store, { onHead }), now: () => new Date((tick += 1_000)) };
  try {
    return await work({ store, sessions: createSessions(parts), operator: operatorOver(parts, store) });
  } finally {
    await store.close();
  }
}

async function putBack(path: string): Promise<void> {
  for (const end of ['-wal', '-shm']) await rm(`${file}${end}`, { force: true });
  await copyFile(path, file);
}

/** Starts a session, stops before its checkpoint, and copies the database. */
async function before(): Promise<{ readonly token: string; readonly sid: string; readonly copy: string }> {
  const copy = join(folder, 'before.db');
  const begun = await serving(async ({ sessions, store }) => {
    const started = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
    const { token } = await sessions.move(started.token, {});
    return { token, sid: (await store.find({})).sessions[0]?.sid ?? '' };
  });
  await copyFile(file, copy);
  return { ...begun, copy };
}

function answer(token: string, option: string): Promise<string> {
  return serving(async ({ sessions }) => {
    const asked = await sessions.yield(token, 'bake-now');
    return (await sessions.answer(asked.token, { mode: { kind: 'option', option } })).token;
  });
}

function codes(sid: string, anchor: readonly string[] = lines): Promise<readonly string[]> {
  return serving(async ({ operator }) => {
    const { problems } = await operator.verify(sid, await operator.anchors(anchor));
    return problems.map(({ code }) => code);
  });
}

describe('An older copy of a database that is restored', () => {
  it('is detected, even after the sessions were continued differently', async () => {
    const { token, sid, copy } = await before();
    await answer(token, 'no');
    expect(await codes(sid)).toEqual([]);
    await putBack(copy);
    expect(await codes(sid)).toEqual(['ROLLED_BACK']);
    await answer(token, 'yes');
    expect(await codes(sid)).toEqual(['ROLLED_BACK']);
  });

  it('is detected even if a line of another key names the existing event', async () => {
    const { token, sid, copy } = await before();
    await answer(token, 'no');
    const written = [...lines];
    await putBack(copy);
    await answer(token, 'yes');
    const unknown = lines
      .slice(written.length)
      .map((line) => line.replace(/"seal":"[^:"]+:/, '"seal":"another-key:'));
    expect(unknown).not.toEqual(lines.slice(written.length));
    expect(await codes(sid, [...written, ...unknown])).toEqual(['ROLLED_BACK']);
  });

  it('is detected if its session was dropped since, even after it was continued', async () => {
    const { token, sid, copy } = await before();
    await serving(async ({ operator }) => {
      await operator.abandon(sid);
      const later = new Date(tick + 1_000_000).toISOString();
      await operator.prune({ before: later, statuses: ['active', 'completed'] });
    });
    expect(lines.at(-1)).toContain('"pruned"');
    await putBack(copy);
    expect(await codes(sid)).toEqual(['ROLLED_BACK']);
    await answer(token, 'yes');
    expect(await codes(sid)).toEqual(['ROLLED_BACK']);
  });
});

test('a repeated call does not return the result of an event that replaced its own', async () => {
  const { token, copy } = await before();
  const later = join(folder, 'later.db');
  const no = { mode: { kind: 'option', option: 'no' } } as const;
  const first = await serving(async ({ sessions }) => {
    const asked = await sessions.yield(token, 'bake-now');
    const answered = await sessions.answer(asked.token, no);
    expect(await sessions.answer(asked.token, no)).toMatchObject({ value: answered.value });
    return asked;
  });
  await copyFile(file, later);
  await putBack(copy);
  await answer(token, 'yes');
  const other = otherConnection(file);
  other.exec(`ATTACH '${later}' AS later`);
  other.exec('INSERT OR IGNORE INTO commands SELECT * FROM later.commands');
  other.exec('DETACH later');
  await serving(async ({ sessions }) => {
    await expect(sessions.answer(first.token, no)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
  });
});

describe('A session that somebody without the keys makes look completed and old', () => {
  const planted =
    "INSERT INTO sessions (sid, workflow_id, version, digest, principal, agent, status, revision, hash, created_at, updated_at) SELECT ?, 'x', '1', digest, 'local', 'a', 'completed', 1, 'x', '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z' FROM definitions LIMIT 1";
  const tables = ['calls', 'commands', 'agents', 'deliveries', 'session_blobs', 'events', 'sessions'];

  it.for<[what: string, sql: readonly string[], codes: readonly string[]]>([
    [
      'its row is edited',
      ["UPDATE sessions SET status = 'completed', updated_at = '2020-01-01T00:00:00.000Z' WHERE sid = ?"],
      ['FORGED'],
    ],
    [
      'it is deleted and its row is inserted again',
      [...tables.map((table) => `DELETE FROM ${table} WHERE sid = ?`), planted],
      ['UNSEALED', 'ROLLED_BACK'],
    ],
  ])('is not dropped by prune, and verify still reports it: %s', async ([, sql, expected]) => {
    const { sid } = await before();
    const other = otherConnection(file);
    other.exec('PRAGMA foreign_keys=OFF');
    for (const one of sql) other.run(one, [sid]);
    await serving(async ({ operator }) => {
      const request = { before: '2025-01-01T00:00:00.000Z', statuses: ['completed'] } as const;
      expect(await operator.prunable(request)).toMatchObject({ sessions: [], unauthentic: [{ sid }] });
      expect(await operator.prune(request)).toBe(0);
    });
    expect(lines.filter((line) => line.includes('"pruned"'))).toEqual([]);
    expect(await codes(sid)).toEqual(expect.arrayContaining([...expected]));
  });

  /** Restores the row of a session from before its answer, with its valid seal. */
  async function withOlderRow(more: readonly string[] = []): Promise<string> {
    const { token, sid, copy } = await before();
    await answer(token, 'no');
    const other = otherConnection(file);
    other.exec(`ATTACH '${copy}' AS older`);
    const columns = 'status, revision, hash, updated_at, seal, state_revision, state_seal, state';
    other.exec(`UPDATE sessions SET (${columns}) = (SELECT ${columns} FROM older.sessions)`);
    for (const one of more) other.exec(one);
    other.exec('DETACH older');
    return sid;
  }

  const everything = {
    before: '2999-01-01T00:00:00.000Z',
    statuses: ['active', 'blocked', 'completed'],
  } as const;

  it('is not dropped by prune if only its row is older', async () => {
    const sid = await withOlderRow();
    await serving(async ({ operator }) => {
      expect(await operator.prunable(everything)).toMatchObject({ sessions: [], unauthentic: [{ sid }] });
      expect(await operator.prune(everything)).toBe(0);
    });
    expect(lines.filter((line) => line.includes('"pruned"'))).toEqual([]);
  });

  it('is still reported by verify with an anchor if its later events were deleted before prune', async () => {
    const sid = await withOlderRow(['DELETE FROM events WHERE revision > (SELECT revision FROM sessions)']);
    await serving(async ({ operator }) => {
      expect(await operator.prune(everything)).toBe(1);
    });
    expect(lines.at(-1)).toContain('"pruned"');
    expect(await codes(sid)).toEqual(['DELETED']);
  });
});

test('a session that begins at its first activity is valid, and invalid without one of its later commands', async () => {
  const request = { agentId: 'baker', workflowId: 'errands', includeActivity: true };
  const sid = await serving(async ({ sessions, operator }) => {
    const { token, value } = await sessions.start(request);
    expect(await operator.verify(value.sid)).toMatchObject({ events: 2, problems: [] });
    await sessions.yield(token, 'bake-now');
    expect(await operator.verify(value.sid)).toMatchObject({ events: 3, problems: [] });
    expect(await operator.seal(value.sid)).toMatchObject({ how: 'renewed' });
    return value.sid;
  });
  otherConnection(file).exec('DELETE FROM commands');
  const problems = [{ code: 'COMMAND', revision: 3 }];
  await serving(async ({ operator }) => expect(await operator.verify(sid)).toMatchObject({ problems }));
});
