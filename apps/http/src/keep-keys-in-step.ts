import type { AccessPlace } from '@workflowlookup/host';
import { openApiKeys } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';

/** How often this is done, in milliseconds. */
const everyMs = 60_000;

/**
 * Lets a server recall in its own state directory which keys were revoked, and tell a database that was restored from a
 * backup. What fails is tried again.
 */
export function keepKeysInStep(
  access: AccessPlace,
  { log, onError }: { readonly log: Log; onError(error: unknown): void },
): { start(): Promise<void>; stop(): void } {
  const keys = openApiKeys(access);
  let timer: NodeJS.Timeout | undefined;

  async function sync(): Promise<void> {
    try {
      const again = await keys.sync();
      if (again.length > 0) log('warn', 'keys_revoked_again', { keys: again });
    } catch (error) {
      onError(error);
    }
  }

  return {
    start() {
      timer = setInterval(() => void sync(), everyMs).unref();
      return sync();
    },
    stop: () => clearInterval(timer),
  };
}
