import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importProblems } from '../../../../packages/core/test/support/messages.ts';
import { exportMessages } from '../../../../packages/storage/test/support/messages.ts';
import { sessionMessages, sessionTexts } from '../../src/messages/sessions.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import { atCheckpoint, atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  cli = await openTestCli(entry);
});

afterEach(() => cli.dispose());

afterAll(() => removeApp(entry));

/** Changes an event directly in the database. */
function tamper(sid: string, revision: number): void {
  const db = new Database(join(cli.state, 'sessions.db'));
  const event = `sid = '${sid}' AND revision = ${revision}`;
  db.exec(`UPDATE events SET data = replace(data, 'bake-now', 'bake-not') WHERE ${event}`);
  db.close();
}

describe('export and import', () => {
  test('move a session from one state directory to another', async () => {
    const { sid } = await atCheckpoint(cli);
    // Closing the host writes what is still buffered.
    await cli.host.close();
    const { code, out } = await cli.run(['sessions', 'export', sid, 'kept.jsonl']);
    expect({ code, out: cli.mask(out) }).toEqual({
      code: 0,
      out: `${sessionMessages.exported('SID', 'kept.jsonl')}\n`,
    });
    expect(((await stat(join(cli.root, 'kept.jsonl'))).mode & 0o777).toString(8)).toBe('600');
    const copied = await cli.run(['sessions', 'export', sid, 'copy.jsonl', '--json']);
    expect(jsonOf('sessions-export', copied.out)).toEqual({
      sid,
      file: 'copy.jsonl',
      lines: 8,
      sealed: true,
    });
    const piped = await cli.run(['sessions', 'export', sid]);
    expect(piped.out.trim().split('\n')).toHaveLength(8);

    const there = ['--state', 'there'];
    const imported = await cli.run(['sessions', 'import', 'kept.jsonl', ...there, '--json']);
    expect(jsonOf('sessions-import', imported.out)).toMatchObject({ sid, revision: 3, status: 'blocked' });
    const again = await cli.run(['sessions', 'import', '-', ...there], { input: piped.out });
    expect(again.code).toBe(2);
    expect(again.err).toContain(exportMessages.alreadyThere(sid));
    // The session is not sealed with the keys of the other directory, so it can be read there, but not continued.
    expect(jsonOf('sessions-import', imported.out)).toMatchObject({
      imported: { isAuthentic: false, revision: 3, principal: 'local' },
    });
    const refused = await cli.run(['sessions', 'respond', sid, 'no', ...there, '--json']);
    expect({ code: refused.code, error: JSON.parse(refused.err) as unknown }).toMatchObject({
      code: 1,
      error: { error: { code: 'SESSION_UNVERIFIED' } },
    });
    const show = await cli.run(['sessions', 'show', sid, ...there]);
    expect(show.out).toContain(sessionTexts.chainWhole(3));
    expect(show.out).toContain('imported ');
    expect((await cli.run(['sessions', 'verify', sid, ...there])).code).toBe(0);
  });

  test('allow the session to continue with the same keys', async () => {
    const { sid } = await atCheckpoint(cli);
    await cli.host.close();
    await cli.run(['sessions', 'export', sid, 'kept.jsonl']);
    await cp(join(cli.state, 'keys'), join(cli.root, 'there', 'keys'), { recursive: true });
    const there = ['--state', 'there'];
    const imported = await cli.run(['sessions', 'import', 'kept.jsonl', ...there, '--json']);
    expect(jsonOf('sessions-import', imported.out)).toMatchObject({ imported: { isAuthentic: true } });
    expect((await cli.run(['sessions', 'respond', sid, 'no', ...there])).code).toBe(0);
    expect((await cli.run(['sessions', 'verify', sid, ...there])).code).toBe(0);
    expect((await cli.run(['sessions', 'list', ...there])).out).toContain('active (imported)');
  });

  test('write no seal for a broken session, with a warning', async () => {
    const { sid } = await atCheckpoint(cli);
    await cli.host.close();
    const db = new Database(join(cli.state, 'sessions.db'));
    db.exec('DELETE FROM calls WHERE n = 1');
    db.close();
    const kept = await cli.run(['sessions', 'export', sid, 'kept.jsonl', '--json']);
    expect(jsonOf('sessions-export', kept.out)).toMatchObject({ sid, sealed: false });
    for (const text of [
      (await cli.run(['sessions', 'export', sid, 'copy.jsonl'])).out,
      (await cli.run(['sessions', 'export', sid])).err,
    ])
      expect(text).toContain(`sessions verify ${sid}`);
    await cp(join(cli.state, 'keys'), join(cli.root, 'there', 'keys'), { recursive: true });
    const imported = await cli.run(['sessions', 'import', 'kept.jsonl', '--state', 'there', '--json']);
    expect(jsonOf('sessions-import', imported.out)).toMatchObject({ imported: { isAuthentic: false } });
  });

  test('never overwrite a file', async () => {
    const { sid } = await atFetch(cli);
    await writeFile(join(cli.root, 'kept.jsonl'), 'mine');
    const { code, err } = await cli.run(['sessions', 'export', sid, 'kept.jsonl']);
    expect(code).toBe(2);
    expect(err).toContain('kept.jsonl');
    expect(await readFile(join(cli.root, 'kept.jsonl'), 'utf8')).toBe('mine');
  });

  test('refuse a definition that the session was not started with', async () => {
    const { sid } = await atCheckpoint(cli);
    const { out } = await cli.run(['sessions', 'export', sid]);
    await writeFile(join(cli.root, 'changed.jsonl'), out.replaceAll('Bake?', 'Burn?'));
    for (const args of [
      ['import', 'changed.jsonl', '--state', 'there'],
      ['verify', 'changed.jsonl'],
    ]) {
      const { code, err, out: said } = await cli.run(['sessions', ...args]);
      expect(code).toBe(1);
      expect(`${err}${said}`).toContain(importProblems.otherDefinition());
    }
  });

  test('can be verified as a file, with the checks of an import and the keys of this server', async () => {
    const { sid } = await atCheckpoint(cli);
    const { out } = await cli.run(['sessions', 'export', sid]);
    const verify = async (text: string, ...more: readonly string[]) => {
      await writeFile(join(cli.root, 'a.jsonl'), text);
      const { code, out: said } = await cli.run(['sessions', 'verify', 'a.jsonl', '--json', ...more]);
      return { code, ...(jsonOf('sessions-verify', said) as { verdicts: readonly object[] }).verdicts[0] };
    };
    expect(await verify(out)).toMatchObject({ code: 0, ok: true, authenticated: true, events: 3 });
    // If there are no keys, the command creates none.
    expect(await verify(out, '--state', 'there')).toMatchObject({ code: 3, ok: true, authenticated: false });
    await expect(stat(join(cli.root, 'there'))).rejects.toMatchObject({ code: 'ENOENT' });

    const forged = out.replace('"by":"', '"by":"not ');
    expect(forged).not.toBe(out);
    expect(await verify(forged)).toMatchObject({ code: 1, ok: false, problems: [{ code: 'FORGED' }] });
    const completed = out.replace('"status":"blocked"', '"status":"completed"');
    expect(completed).not.toBe(out);
    expect(await verify(completed)).toMatchObject({ code: 1, ok: false });
    const { code } = await cli.run(['sessions', 'import', 'a.jsonl', '--state', 'there']);
    expect(code).toBe(1);
  });

  test('refuse changed content', async () => {
    const { sid } = await atCheckpoint(cli);
    const { out } = await cli.run(['sessions', 'export', sid]);
    const changed = out.replace('"checkpoint":"bake-now","type"', '"checkpoint":"pay","type"');
    await writeFile(join(cli.root, 'changed.jsonl'), changed);
    const imported = await cli.run(['sessions', 'import', 'changed.jsonl', '--state', 'there']);
    expect(imported.code).toBe(1);
    expect(imported.err).toContain(exportMessages.changedSince(3));
    const verified = await cli.run(['sessions', 'verify', 'changed.jsonl', '--json']);
    expect(verified.code).toBe(1);
    expect(jsonOf('sessions-verify', verified.out)).toMatchObject({
      ok: false,
      verdicts: [{ target: 'changed.jsonl', ok: false, brokenAt: 3 }],
    });
    tamper(sid, 3);
    const broken = await cli.run(['sessions', 'export', sid, 'broken.jsonl']);
    expect(broken.code).toBe(1);
    await expect(stat(join(cli.root, 'broken.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('verify', () => {
  test('names the first broken link of each session', async () => {
    const whole = await atFetch(cli);
    const broken = await atCheckpoint(cli);
    expect((await cli.run(['sessions', 'verify', '--all'])).code).toBe(0);
    tamper(broken.sid, 3);
    const { code, out } = await cli.run(['sessions', 'verify', '--all']);
    expect({ code, out: cli.mask(out) }).toEqual({
      code: 1,
      out: expect.stringMatching(
        /^broken {2}SID {2}BROKEN_CHAIN: .*\nwhole {3}SID {2}2 events\n1 whole, 1 broken\.\n$/,
      ) as string,
    });
    expect((await cli.run(['sessions', 'verify', whole.sid])).code).toBe(0);
    const { out: json } = await cli.run(['sessions', 'verify', broken.sid.slice(0, 12), '--json']);
    expect(jsonOf('sessions-verify', json)).toMatchObject({
      verdicts: [{ target: broken.sid, brokenAt: 3 }],
    });
  });

  test('with --all proves nothing if there are no sessions', async () => {
    const verify = async (...flags: readonly string[]) => {
      const { code, out } = await cli.run(['sessions', 'verify', '--all', '--json', ...flags]);
      return { code, ...(jsonOf('sessions-verify', out) as object) };
    };
    const nothing = { code: 3, ok: true, authenticated: false, verdicts: [] };
    expect(await verify('--state', 'mistyped')).toEqual(nothing);
    await atFetch(cli);
    await cli.host.close();
    expect(await verify()).toMatchObject({ code: 0, authenticated: true, verdicts: [{}] });
    const db = new Database(join(cli.state, 'sessions.db'));
    for (const table of ['events', 'commands', 'calls', 'agents', 'sessions'])
      db.exec(`DELETE FROM ${table}`);
    db.close();
    expect(await verify()).toEqual(nothing);
    const { out } = await cli.run(['sessions', 'verify', '--all']);
    expect(out).toContain(cli.state);
  });

  test('with --all finds a session that was removed from the index', async () => {
    const hidden = await atFetch(cli);
    await atFetch(cli);
    await cli.host.close();
    const db = new Database(join(cli.state, 'sessions.db'));
    const index = 'CREATE INDEX sessions_by_update ON sessions (updated_at, sid)';
    db.exec('DELETE FROM calls WHERE n = 1');
    db.exec(`DROP INDEX sessions_by_update; ${index} WHERE sid <> '${hidden.sid}'`);
    db.exec('PRAGMA writable_schema=ON');
    db.prepare('UPDATE sqlite_master SET sql = ? WHERE name = ?').run(index, 'sessions_by_update');
    db.close();
    expect((await cli.run(['sessions', 'list'])).out).not.toContain(hidden.sid);
    const { code, out } = await cli.run(['sessions', 'verify', '--all', '--json']);
    expect(code).toBe(1);
    const { verdicts } = jsonOf('sessions-verify', out) as { verdicts: readonly { target: string }[] };
    expect(verdicts).toHaveLength(3);
    expect(verdicts.find(({ target }) => target === hidden.sid)).toMatchObject({
      ok: false,
      problems: [{ code: 'TRACE_GAP' }],
    });
    expect(verdicts.at(-1)).toMatchObject({ ok: false, problems: [{ code: 'UNREADABLE' }, {}] });
  });

  test('of one session finds it even if its row was hidden or deleted, and names what can hide a row', async () => {
    const { sid } = await atFetch(cli);
    await atFetch(cli);
    await cli.host.close();
    const db = new Database(join(cli.state, 'sessions.db'));
    db.exec('PRAGMA foreign_keys=OFF');
    db.exec(`DELETE FROM sessions WHERE sid = '${sid}'`);
    const verify = async (id: string) => {
      const { code, out } = await cli.run(['sessions', 'verify', id, '--json']);
      return { code, ...(jsonOf('sessions-verify', out) as object) };
    };
    const deleted = { code: 1, verdicts: [{ target: sid, ok: false, problems: [{ code: 'DELETED' }] }] };
    expect(await verify(sid)).toMatchObject(deleted);
    expect(await verify(sid.slice(0, 30))).toMatchObject(deleted);
    expect((await cli.run(['sessions', 'verify', 'nothing'])).code).toBe(2);
    for (const table of ['events', 'commands', 'calls', 'agents'])
      db.exec(`DELETE FROM ${table} WHERE sid = '${sid}'`);
    db.exec('CREATE TRIGGER hides AFTER INSERT ON sessions BEGIN SELECT 1; END');
    db.close();
    expect(await verify(sid)).toMatchObject({
      code: 1,
      verdicts: [{ target: sid, ok: false, problems: [{ code: 'SCHEMA' }] }],
    });
  });

  test('is also done by show, which shows the journal up to the broken link', async () => {
    const { sid } = await atCheckpoint(cli);
    tamper(sid, 3);
    const { code, out } = await cli.run(['sessions', 'show', sid]);
    expect(code).toBe(1);
    expect(out).toContain(sessionTexts.chainBroken(3));
    expect(out).toMatch(/current +fetch/);
  });
});

describe('prune', () => {
  test('deletes old completed sessions, and first shows which', async () => {
    const { sid } = await atFetch(cli);
    await atFetch(cli);
    await cli.host.operator.abandon(sid);
    const far = ['sessions', 'prune', '--before', '2999-01-01'];
    const dry = await cli.run([...far, '--dry-run']);
    expect(cli.mask(dry.out)).toBe(
      `SID  completed  TIME  errands\n${sessionMessages.wouldPrune('1 session')}\n`,
    );
    const dryJson = jsonOf('sessions-prune', (await cli.run([...far, '--dry-run', '--json'])).out);
    expect(dryJson).toMatchObject({ statuses: ['completed'], sessions: [{ sid, status: 'completed' }] });
    expect((await cli.run(['sessions', 'prune', '--before', '1h'])).out).toBe(
      `${sessionMessages.pruned('0 sessions')}\n`,
    );
    const pruned = await cli.run([...far, '--json']);
    expect(jsonOf('sessions-prune', pruned.out)).toMatchObject({ pruned: 1, statuses: ['completed'] });
    expect((await cli.host.operator.find({})).sessions).toHaveLength(1);
    const all = await cli.run([...far, '--status', 'active', '--status', 'blocked']);
    expect(all.out).toBe(`${sessionMessages.pruned('1 session')}\n`);
  });

  test('keeps sessions that do not authenticate, and names them', async () => {
    const { sid } = await atFetch(cli);
    await cli.host.close();
    const db = new Database(join(cli.state, 'sessions.db'));
    db.exec("UPDATE sessions SET status = 'completed', updated_at = '2020-01-01T00:00:00.000Z'");
    db.close();
    const old = ['sessions', 'prune', '--before', '30d'];
    const dry = jsonOf('sessions-prune', (await cli.run([...old, '--dry-run', '--json'])).out);
    expect(dry).toMatchObject({ sessions: [], unauthentic: [sid] });
    const pruned = jsonOf('sessions-prune', (await cli.run([...old, '--json'])).out);
    expect(pruned).toMatchObject({ pruned: 0, unauthentic: [sid] });
    expect((await cli.run(old)).out).toContain(`sessions verify ${sid}`);
  });

  test('puts no id into a command if a shell would interpret it', async () => {
    await atFetch(cli);
    await cli.host.close();
    const db = new Database(join(cli.state, 'sessions.db'));
    db.exec(`PRAGMA foreign_keys = OFF;
      UPDATE sessions SET sid = 'ab;touch X;#', status = 'completed', updated_at = '2020-01-01T00:00:00.000Z'`);
    db.close();
    const { out } = await cli.run(['sessions', 'prune', '--before', '30d']);
    expect(out).toContain(sessionMessages.notPruned('ab;touch X;#', 'ID'));
    expect(out).not.toMatch(/sessions \w+ ab;/);
  });
});
