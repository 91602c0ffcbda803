import type { StoreHealth } from '../session-store.ts';
import { lastPosition } from './changes.ts';
import type { Connection } from './connection.ts';

/** Whether a Postgres store answers and takes writes. */
export async function healthOf(connection: Connection, waiting: number): Promise<StoreHealth> {
  const adapter = 'postgres';
  try {
    const lastChange = await lastPosition(connection);
    const [row] = await connection.all(
      "SELECT current_setting('server_version') AS version, schema_version FROM meta",
    );
    const facts = { postgres: String(row?.['version']), schemaVersion: Number(row?.['schema_version']) };
    const { open, waiting: queued } = connection.load();
    return { ok: true, adapter, lastChange, facts: { ...facts, connections: open, queued, waiting } };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ok: false, adapter, lastChange: 0, facts: { waiting }, problem };
  }
}
