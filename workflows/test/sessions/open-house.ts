import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvidenceCollector, SessionParts, SessionPolicy, Sessions } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { createSessions } from '@workflowlookup/core/sessions';
import { createReferenceCodec } from '@workflowlookup/core/tokens';
import type { SessionStore, WorkflowStore } from '@workflowlookup/storage';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';

/** Sessions over a database of their own. */
export interface House {
  readonly store: SessionStore;
  sessions(enforcement: SessionPolicy['enforcement']): Sessions;
  close(): Promise<void>;
}

/** What a test may lay down: where sessions are kept, and what they take from chance. */
export interface HouseOptions extends Pick<SessionParts, 'now' | 'random' | 'evidence'> {
  /** Default: an SQLite database of its own. */
  readonly store?: SessionStore;
}

/** Finds what every step asks for: these tests are about the ways through a workflow. */
const contented: EvidenceCollector = {
  folder: tmpdir(),
  tree: () => Promise.resolve('commit:4f1c9e2'),
  collect: () =>
    Promise.resolve({
      result: { kind: 'check', level: 'rerun', outcome: 'passed', reasons: [], tree: 'commit:4f1c9e2' },
    }),
};

/** Opens a house that serves these workflows, and where a person at the client answers for people. */
export async function openHouse(workflows: WorkflowStore, options: HouseOptions = {}): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'obedient-'));
  const {
    store = createSqliteSessionStore({ file: join(folder, 'sessions.db') }),
    evidence = contented,
    ...chance
  } = options;
  const key = { id: 'key', secret: new Uint8Array(32).fill(7) };
  const keys: KeyRing = { signing: key, verifying: [key] };
  const vault = { store, keys, tokens: createReferenceCodec(keys) };
  return {
    store,
    sessions: (enforcement) =>
      createSessions({
        workflows,
        vault: () => Promise.resolve(vault),
        policy: {
          enforcement,
          minResponseMs: 0,
          gates: 'declared',
          trustElicitation: true,
          humanAnswersWith: (sid) => `the console, session ${sid}`,
        },
        caller: { principal: 'local' },
        evidence,
        ...chance,
      }),
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
