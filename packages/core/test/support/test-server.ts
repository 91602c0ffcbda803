import { createHmac } from 'node:crypto';
import type { Workflow } from '@workflowlookup/schema';
import type { Seals, SessionStore } from '@workflowlookup/storage';
import type { MemoryStore } from '@workflowlookup/storage/memory';
import { createMemorySessionStore, createMemoryStore } from '@workflowlookup/storage/memory';
import type { Operator } from '../../src/operator/create-operator.ts';
import type { SessionParts, SessionPolicy, Sessions } from '../../src/session-engine/sessions.ts';
import type { KeyRing, TokenCodec } from '../../src/session-engine/session-tokens.ts';
import { createOperator } from '../../src/operator/create-operator.ts';
import { createSessions } from '../../src/session-engine/create-sessions.ts';
import { createReferenceCodec } from '../../src/session-engine/session-tokens.ts';
import { activityWorkflow } from './sessions.ts';
import { keyRing } from './tokens.ts';

/** The sessions of a server, with the stores and the clock behind them. */
export interface TestServer {
  readonly sessions: Sessions;
  readonly store: SessionStore;
  readonly workflows: MemoryStore;
  /** The time of the server, in milliseconds since the epoch. Tests can change it. */
  nowMs: number;
  /** Returns the sessions in the same store for another caller, or for a server with other settings. */
  sessionsFor(overrides: SessionOverrides): Sessions;
  /** Returns the operator of a person with this name for the sessions in the store. */
  person(name: string, policy?: Partial<SessionPolicy>): Operator;
}

/** The settings in which another caller, or another server on the same store, can differ. */
interface SessionOverrides extends Pick<SessionParts, 'onWrite' | 'evidence'> {
  readonly policy?: Partial<SessionPolicy>;
  readonly principal?: string;
  readonly mayRespond?: boolean;
  readonly credential?: string;
  readonly keys?: KeyRing;
  readonly codec?: (keys: KeyRing) => TokenCodec;
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const defaultPolicy: SessionPolicy = {
  enforcement: 'advisory',
  minResponseMs: 3000,
  gates: 'declared',
  trustElicitation: false,
  humanAnswersWith: (sid) => `the console, session ${sid}`,
};

/** The options of a test server: those of its own sessions, and of its store. */
interface TestServerOptions extends SessionOverrides {
  /** Seals exported sessions, so that a server with the same seals can continue them after an import. */
  readonly seals?: Seals;
}

/** Returns seals that sign with the signing key of a key ring and verify with all of its keys. */
export function sealsOf({ signing, verifying }: KeyRing): Seals {
  const codeOf = (secret: Uint8Array, ...values: readonly unknown[]): string =>
    createHmac('sha256', secret).update(JSON.stringify(values)).digest('base64url');
  return {
    hasKeys: () => true,
    isPlain: false,
    make: (kind, values) => `${signing.id}:${codeOf(signing.secret, kind, values)}`,
    judge(kind, values, seal) {
      const [id, code] = seal?.split(':') ?? [];
      if (code === undefined) return 'absent';
      const secret = verifying.find((key) => key.id === id)?.secret;
      if (secret === undefined) return 'unknown-key';
      return codeOf(secret, kind, values) === code ? 'genuine' : 'wrong';
    },
  };
}

/** Opens a server with memory stores that serves these workflows. */
export function openTestServer(
  served: readonly Workflow[] = [errands],
  options: TestServerOptions = {},
): TestServer {
  const { seals, ...overrides } = options;
  const workflows = createMemoryStore(served);
  const store: SessionStore = { ...createMemorySessionStore(), ...(seals === undefined ? {} : { seals }) };
  function sessionsFor(more: SessionOverrides): Sessions {
    const {
      policy,
      principal = 'local',
      mayRespond = false,
      keys = keyRing(1),
      codec,
      pause,
      onWrite,
      credential,
      evidence,
    } = more;
    const tokens = (codec ?? createReferenceCodec)(keys);
    return createSessions({
      workflows,
      vault: () => Promise.resolve({ store, keys, tokens }),
      policy: { ...defaultPolicy, ...policy },
      caller: {
        principal,
        mayRespond,
        project: '/home/someone/errands',
        ...(credential === undefined ? {} : { credential }),
      },
      now: () => new Date(server.nowMs),
      ...(pause === undefined ? {} : { pause }),
      ...(onWrite === undefined ? {} : { onWrite }),
      ...(evidence === undefined ? {} : { evidence }),
    });
  }
  const server: TestServer = {
    store,
    workflows,
    nowMs: Date.parse('2026-03-01T10:00:00Z'),
    sessions: undefined as unknown as Sessions,
    sessionsFor,
    person: (name, policy) =>
      createOperator({
        store: () => Promise.resolve(store),
        policy: { ...defaultPolicy, ...policy },
        person: name,
        now: () => new Date(server.nowMs),
      }),
  };
  return Object.assign(server, { sessions: sessionsFor(overrides) });
}

/** A workflow that fetches flour and asks whether to bake. `yes` leads to `bake` and then the end, `no` to the end. */
export const errands = activityWorkflow(
  [
    {
      id: 'fetch',
      steps: [{ id: 'buy' }, { id: 'ask', checkpoint: 'bake-now' }],
      checkpoints: [
        {
          id: 'bake-now',
          name: 'Bake now?',
          message: 'Bake with {flour}?',
          options: [
            { id: 'yes', label: 'Yes', effect: { setVariable: { hot: true } } },
            { id: 'no', label: 'No' },
          ],
        },
      ],
      transitions: [
        { to: 'bake', condition: 'hot == true' },
        { to: 'end', isDefault: true },
      ],
      triggers: [{ workflow: 'errands-child', passContext: ['flour', 'secret', 'absent'] }],
    },
    { id: 'bake', steps: [{ id: 'knead' }], transitions: [{ to: 'end' }] },
  ],
  {
    id: 'errands',
    variables: [
      { name: 'flour', type: 'string', defaultValue: 'rye' },
      { name: 'hot', type: 'boolean' },
      { name: 'secret', type: 'string', defaultValue: 'x' },
    ],
  },
);

/** The manifest that completes the activity `fetch`. */
export const fetchManifest = [
  { step_id: 'buy', output: 'A sack' },
  { step_id: 'ask', output: 'Asked' },
];

/** Starts a session, enters `fetch`, and returns the token. */
export async function atFetch(
  { sessions }: Pick<TestServer, 'sessions'>,
  agentId = 'baker',
): Promise<string> {
  const { token } = await sessions.start({ agentId, workflowId: 'errands' });
  return (await sessions.move(token, {})).token;
}
