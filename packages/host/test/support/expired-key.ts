import type { ApiKey, HostOptions, NewApiKey } from '@workflowlookup/host';
import { createHost, openApiKeys } from '@workflowlookup/host';

/** Creates a key that expired an hour ago, as a server with an earlier clock does. Other clocks refuse a time in the past. */
export async function createExpiredKey(
  place: HostOptions,
  wanted: Omit<NewApiKey, 'expiresAt'>,
): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  const hour = 3_600_000;
  const nowMs = Date.now();
  const host = createHost(place);
  const keys = openApiKeys(host.access, () => new Date(nowMs - 2 * hour));
  const made = await keys.create({ ...wanted, expiresAt: new Date(nowMs - hour).toISOString() });
  await host.close();
  return made;
}
