import type { JsonObject } from '@workflowlookup/schema';
import type { StoreHealth } from '../session-store.ts';
import type { Probe, WriteWatch } from '../sql/write-watch.ts';
import { unwell } from '../sql/write-watch.ts';
import { lastPosition } from './changes.ts';
import type { Connection } from './connection.ts';

/** Whether a Postgres store answers, and takes writes again where one has failed. */
export async function healthOf(
  connection: Connection,
  watch: WriteWatch,
  load: JsonObject,
): Promise<StoreHealth> {
  const adapter = 'postgres';
  try {
    await watch.check();
    const lastChange = await lastPosition(connection);
    const [row] = await connection.all(
      "SELECT current_setting('server_version') AS version, schema_version FROM meta",
    );
    const facts = { postgres: String(row?.['version']), schemaVersion: Number(row?.['schema_version']) };
    return { ok: true, adapter, lastChange, facts: { ...load, ...facts } };
  } catch (error) {
    return unwell(error, { adapter, facts: load });
  }
}

/** Keeps a probe among the values and removes it; one that stays is pruned with what nothing refers to. */
export async function writeProbe(connection: Connection, { id, text }: Probe): Promise<void> {
  const at = new Date().toISOString();
  await connection.once('INSERT INTO blobs (digest, value, put_at) VALUES ($1, $2, $3)', [id, text, at]);
  await connection.once('DELETE FROM blobs WHERE digest = $1', [id]);
}
