import { createHmac } from 'node:crypto';
import type { Workflow } from '@workflowlookup/schema';
import type { Seals, SessionStore } from '@workflowlookup/storage';
import type { MemoryStore } from '@workflowlookup/storage/memory';
import { createMemorySessionStore, createMemoryStore } from '@workflowlookup/storage/memory';
import type { Operator } from '../../src/operator/create-operator.ts';
import type { SessionParts, SessionPolicy, Sessions } from '../../src/session-engine/sessions.ts';
import type { KeyRing, TokenCodec } from '../../src/session-tokens.ts';
import { createOperator } from '../../src/operator/create-operator.ts';
import { createSessions } from '../../src/session-engine/create-sessions.ts';
import { createReferenceCodec } from '../../src/session-tokens.ts';
import { activityWorkflow } from '../session/fixtures.ts';
import { ring } from '../tokens/fixtures.ts';

/** A server's sessions, with what they are made of at hand. */
export interface House {
  readonly sessions: Sessions;
  readonly store: SessionStore;
  readonly workflows: MemoryStore;
  /** Milliseconds since the epoch; a test moves it. */
  nowMs: number;
  /** The same sessions as another caller, or another server on the same store, sees them. */
  elsewhere(more: Elsewhere): Sessions;
  /** What a person of this name can do with the sessions of this store. */
  person(name: string, policy?: Partial<SessionPolicy>): Operator;
}

/** What may be different elsewhere. */
interface Elsewhere extends Pick<SessionParts, 'onWrite' | 'evidence'> {
  readonly policy?: Partial<SessionPolicy>;
  readonly principal?: string;
  readonly mayRespond?: boolean;
  readonly credential?: string;
  readonly keys?: KeyRing;
  readonly codec?: (keys: KeyRing) => TokenCodec;
  readonly pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const ordinary: SessionPolicy = {
  enforcement: 'advisory',
  minResponseMs: 3000,
  gates: 'declared',
  trustElicitation: false,
  humanAnswersWith: (sid) => `the console, session ${sid}`,
};

/** What may be different in the whole house. */
interface Furnishing extends Elsewhere {
  /** Seals what a person exports, so that a house with the same seals lets it be continued. */
  readonly seals?: Seals;
}

/** Seals with the key of a ring that signs, and judges seals by all of its keys. */
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

/** Opens a house that serves these workflows. */
export function openHouse(served: readonly Workflow[] = [errands], first: Furnishing = {}): House {
  const { seals, ...elsewhere } = first;
  const workflows = createMemoryStore(served);
  const store: SessionStore = { ...createMemorySessionStore(), ...(seals === undefined ? {} : { seals }) };
  function sessionsFor(own: Elsewhere): Sessions {
    const {
      policy,
      principal = 'local',
      mayRespond = false,
      keys = ring(1),
      codec,
      pause,
      onWrite,
      credential,
      evidence,
    } = own;
    const tokens = (codec ?? createReferenceCodec)(keys);
    return createSessions({
      workflows,
      vault: () => Promise.resolve({ store, keys, tokens }),
      policy: { ...ordinary, ...policy },
      caller: {
        principal,
        mayRespond,
        project: '/home/someone/errands',
        ...(credential === undefined ? {} : { credential }),
      },
      now: () => new Date(house.nowMs),
      ...(pause === undefined ? {} : { pause }),
      ...(onWrite === undefined ? {} : { onWrite }),
      ...(evidence === undefined ? {} : { evidence }),
    });
  }
  const house: House = {
    store,
    workflows,
    nowMs: Date.parse('2026-03-01T10:00:00Z'),
    sessions: undefined as unknown as Sessions,
    elsewhere: sessionsFor,
    person: (name, policy) =>
      createOperator({
        store: () => Promise.resolve(store),
        policy: { ...ordinary, ...policy },
        person: name,
        now: () => new Date(house.nowMs),
      }),
  };
  return Object.assign(house, { sessions: sessionsFor(elsewhere) });
}

/** Fetch, then ask whether to bake; baking leads to the end, and so does leaving it. */
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

/** What leaves `fetch` behind. */
export const fetched = [
  { step_id: 'buy', output: 'A sack' },
  { step_id: 'ask', output: 'Asked' },
];

/** Starts a session and enters `fetch`; the token after it. */
export async function atFetch({ sessions }: Pick<House, 'sessions'>, agentId = 'baker'): Promise<string> {
  const { token } = await sessions.start({ agentId, workflowId: 'errands' });
  return (await sessions.move(token, {})).token;
}
