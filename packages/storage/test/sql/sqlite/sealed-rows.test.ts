import type { SealKeys } from '@workflowlookup/storage';
import { expect, test } from 'vitest';
import { createMetaTable, migrate, migrations } from '../../../src/sql/sqlite/migrations.ts';
import { driver } from '../../support/other-connection.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import rows from './sealed-rows.json' with { type: 'json' };

// The rows are data of an earlier program, sealed with this key. Do not make them again: if the test fails, the seals in
// the databases of users are wrong too.
const signing: SealKeys['signing'] = { id: 'test', secret: new Uint8Array(32).fill(1) };

/** The number of migrations that the earlier program had. */
const earlierVersion = 6;

/** What has a seal in each session. */
const sealed = {
  s1: ['session', 'snapshot', 'events', 'events', 'calls', 'commands', 'agents', 'deliveries', 'definition'],
  s2: ['session', 'snapshot', 'events', 'definition'],
};

test.for(['s1', 's2'] as const)(
  'Every seal of an earlier program is still genuine: session %s',
  async (sid) => {
    const { file, folder, open } = await sessionFolder();
    // This creates the folder of the database.
    await folder.write('state/none', '');
    const earlier = driver.open(file);
    createMetaTable(earlier);
    migrate(earlier, migrations.slice(0, earlierVersion));
    for (const [table, all] of Object.entries(rows))
      for (const row of all) {
        const columns = Object.keys(row);
        const places = columns.map(() => '?').join(', ');
        earlier.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, Object.values(row));
      }
    earlier.close();
    const store = open({ keys: () => ({ signing, verifying: [signing] }) });
    expect((await store.load(sid))?.session).toMatchObject({ sid, principal: 'local' });
    const verdicts = Object.entries((await store.inspect?.(sid)) ?? {}).flatMap(([kind, found]) =>
      [found].flat().flatMap((one) => (typeof one === 'object' ? [[kind, one.verdict] as const] : [])),
    );
    expect(verdicts).toEqual(sealed[sid].map((kind) => [kind, 'genuine']));
  },
);
