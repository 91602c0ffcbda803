import { createListeners } from '../listeners.ts';
import type { ChangeHints } from '../sessions/change-hints.ts';
import type { Connection } from './connection.ts';
import type { Listener } from './listener.ts';

/** Where replicas hear each other. */
export const hintChannel = 'workflowlookup';

/** Hints of writes that come so close together go out as one. */
const gatherMs = 20;

/** So many ids fit into the 8,000 bytes of a notification, with room to spare. */
const most = 50;

/**
 * Transactions with a notification commit one after the other in all of the server. So none is part of a write: they
 * follow writes, many at once, and no write waits for one.
 */
const notify = `SELECT pg_notify('${hintChannel}', sids) FROM unnest($1::text[]) AS sids`;

/** Hints among all who have a database open. One that can't be sent is lost. */
export function createNotifyHints(connection: Pick<Connection, 'all'>, listener: Listener): ChangeHints {
  const listeners = createListeners<readonly string[]>();
  const waiting = new Set<string>();
  let isGathering = false;

  function gather(): void {
    isGathering = true;
    setTimeout(() => void send(), gatherMs).unref();
  }

  async function send(): Promise<void> {
    const sids = [...waiting];
    waiting.clear();
    await connection.all(notify, [textsOf(sids)]).catch(() => {});
    isGathering = false;
    if (waiting.size > 0) gather();
  }

  return {
    watch(hear) {
      listener.start((text) => listeners.emit(text.split(' ')));
      return listeners.watch(hear);
    },
    tell(sid) {
      waiting.add(sid);
      if (!isGathering) gather();
    },
    async close() {
      waiting.clear();
      listeners.clear();
      listener.close();
    },
  };
}

/** Ids have no spaces in them. */
function textsOf(sids: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (let from = 0; from < sids.length; from += most) texts.push(sids.slice(from, from + most).join(' '));
  return texts;
}
