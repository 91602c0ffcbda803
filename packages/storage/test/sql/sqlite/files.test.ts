import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { countSessions } from '../../../src/sql/session-search.ts';
import { journalModeOf } from '../../../src/sql/sqlite/driver.ts';
import { driver, otherConnection } from '../../support/other-connection.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { push, start } from '../../support/sessions.ts';

describe('The files of a SQLite store', () => {
  it('are not created before the first call', async () => {
    const { file, open: openStore } = await sessionFolder();
    const store = openStore();
    expect(await store.health()).toMatchObject({ ok: true, lastChange: 0 });
    expect(await store.counts()).toEqual({ active: 0, blocked: 0, parked: 0, completed: 0 });
    await store.close();
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are readable only for their owner', async () => {
    const { file, folder, open: openStore } = await sessionFolder();
    const store = openStore();
    const head = await start(store, 's1');
    await push(store, 's1', { head, data: [{}] });
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await modeOf(folder.path('state'))).toBe(0o700);
    const beside = journalModeOf(driver.version) === 'WAL' ? ['-wal', '-shm'] : ['-journal'];
    for (const suffix of ['', ...beside]) expect(await modeOf(`${file}${suffix}`)).toBe(0o600);
  });
});

describe('The counts of sessions', () => {
  it('are read only from indexes, however large the states of the sessions are', async () => {
    const { file, open: openStore } = await sessionFolder();
    await start(openStore(), 's1');
    const plan = otherConnection(file).all(`EXPLAIN QUERY PLAN ${countSessions}`);
    const steps = plan.map(({ detail }) => String(detail)).filter((step) => /SCAN|SEARCH/.test(step));
    expect(steps).toHaveLength(2);
    for (const step of steps) expect(step).toContain('COVERING INDEX');
  });
});
