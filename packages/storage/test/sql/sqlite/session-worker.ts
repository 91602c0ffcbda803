import { rmSync, writeSync } from 'node:fs';
import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { JournalHead, SessionStore } from '@workflowlookup/storage';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { push, start } from '../../support/sessions.ts';

// A process that uses a session database: `node session-worker.mjs <task> <file> [other file]`. It prints lines of JSON.

const [task = '', file = '', other = ''] = process.argv.slice(2);
const store = createSqliteSessionStore({ file });

/** Prints a line synchronously, so that it is not lost when the process is killed. */
function say(line: JsonObject): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  /** Tries to add to each head that it receives. */
  async race() {
    process.on('message', (head: JournalHead) => {
      void push(store, 's1', { head, data: [{ writer: process.pid }] }).then(
        (won) => process.send?.(won ?? 'lost'),
        (error: unknown) => process.send?.(describeError(error)),
      );
    });
    await store.health();
    process.send?.('ready');
  },

  /** Adds to a session without end, two events at a time, and prints each acknowledged revision. */
  async append() {
    const loaded = await store.load('s1');
    let head: JournalHead = loaded?.session ?? (await start(store, 's1'));
    for (;;) {
      head = await addPair(store, head);
      say({ acknowledged: head.revision });
    }
  },

  /**
   * Adds large events until that fails, and prints the last revision and the reason. Then it removes the other file, adds
   * events again, and prints the result.
   */
  async fill() {
    let head = await start(store, 's1').catch(giveUp);
    try {
      for (;;) head = await addPair(store, head, 'x'.repeat(20_000));
    } catch (error) {
      const { ok, reason = '' } = await store.health();
      say({ acknowledged: head.revision, ...describeError(error), health: { ok, reason } });
    }
    if (other !== '') rmSync(other);
    const again = await addPair(store, head, 'x'.repeat(20_000)).catch(describeError);
    const revision = (await store.load('s1'))?.session.revision ?? 0;
    const { ok: isWell } = await store.health();
    say({ revision, again: 'code' in again ? again : 'kept', isWell });
  },

  /** Adds to a session once. */
  async once() {
    const loaded = await store.load('s1').catch(giveUp);
    const head = loaded?.session ?? (await start(store, 's1').catch(giveUp));
    const next = await addPair(store, head).catch(giveUp);
    say({ acknowledged: next.revision });
  },
};

/** Adds two events, a snapshot and the record of the command, or nothing. */
async function addPair(to: SessionStore, head: JournalHead, text = ''): Promise<JournalHead> {
  const revision = head.revision + 2;
  const next = await push(to, 's1', {
    head,
    data: [
      { pair: revision, text },
      { pair: revision, text },
    ],
    snapshot: { revision, state: { revision } },
    command: { key: `key-${revision}`, result: { revision } },
  });
  if (next === undefined) throw new Error('Another process wrote to the session');
  await to.recordCall('s1', { revision });
  return next;
}

function giveUp(error: unknown): never {
  say(describeError(error));
  process.exit(0);
}

function describeError(error: unknown): JsonObject {
  if (error instanceof WorkflowError)
    return { code: error.code, reason: String(error.data['reason']), message: error.message };
  return { code: 'UNTYPED', message: String(error) };
}

await tasks[task]?.();
