import type { JsonObject } from '@workflowlookup/schema';
import type { StoreHealth } from '../session-store.ts';
import { lastPosition } from './changes.ts';
import type { Connection } from './connection.ts';

/** Whether a Postgres store answers and takes writes. */
export async function healthOf(connection: Connection, load: JsonObject): Promise<StoreHealth> {
  const adapter = 'postgres';
  try {
    const lastChange = await lastPosition(connection);
    const [row] = await connection.all(
      "SELECT current_setting('server_version') AS version, schema_version FROM meta",
    );
    const facts = { postgres: String(row?.['version']), schemaVersion: Number(row?.['schema_version']) };
    return { ok: true, adapter, lastChange, facts: { ...load, ...facts } };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ok: false, adapter, lastChange: 0, facts: load, problem };
  }
}
