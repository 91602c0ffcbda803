import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvidenceCollector, SessionParts, SessionPolicy, Sessions } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { createSessions } from '@workflowlookup/core/sessions';
import { createReferenceCodec } from '@workflowlookup/core/tokens';
import type { SessionStore, WorkflowStore } from '@workflowlookup/storage';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';

/** A server with its own session store. */
export interface TestServer {
  readonly store: SessionStore;
  sessions(enforcement: SessionPolicy['enforcement']): Sessions;
  close(): Promise<void>;
}

/** The session store, the clock, the random values and the evidence that a test can choose. */
export interface TestServerOptions extends Pick<SessionParts, 'now' | 'random' | 'evidence'> {
  /** Default: a new SQLite database. */
  readonly store?: SessionStore;
}

/** Reports every check as passed, because these tests are about the paths through a workflow. */
const passingEvidence: EvidenceCollector = {
  folder: tmpdir(),
  tree: () => Promise.resolve('commit:4f1c9e2'),
  collect: () =>
    Promise.resolve({
      result: { kind: 'check', level: 'rerun', outcome: 'passed', reasons: [], tree: 'commit:4f1c9e2' },
    }),
};

/** Opens a server for these workflows. It accepts the answers that people give through elicitation. */
export async function openTestServer(
  workflows: WorkflowStore,
  options: TestServerOptions = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'test-server-'));
  const {
    store = createSqliteSessionStore({ file: join(folder, 'sessions.db') }),
    evidence = passingEvidence,
    ...clockAndRandom
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
        ...clockAndRandom,
      }),
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
