import type { ServedHost } from '../support/served-host.ts';

/** A session in one of the situations, with all its tokens. The newest one is the last. */
export interface PreparedSession {
  readonly sid: string;
  readonly token: string;
  readonly tokens: readonly string[];
}

/** Calls that bring a session into a situation: tools with their arguments, without the token. */
type ToolCalls = readonly (readonly [tool: string, args: object])[];

const enter: ToolCalls = [['next_activity', { activity_id: 'draft' }]];
const yielded: ToolCalls = [...enter, ['yield_checkpoint', { checkpoint_id: 'go' }]];

const manifest = ['write', 'check', 'ask'].map((step_id) => ({ step_id, output: 'alpha' }));

/** The calls that lead to each situation. */
const callsTo = {
  begun: [],
  draft: enter,
  gate: yielded,
  firm: [...enter, ['yield_checkpoint', { checkpoint_id: 'firm' }]],
  held: [...enter, ['yield_checkpoint', { checkpoint_id: 'held' }]],
  approved: [...yielded, ['respond_checkpoint', { option_id: 'yes' }]],
  declined: [...yielded, ['respond_checkpoint', { option_id: 'no' }]],
  sign: [
    ...yielded,
    ['respond_checkpoint', { option_id: 'yes' }],
    ['next_activity', { activity_id: 'sign', step_manifest: manifest }],
  ],
  signature: [
    ...yielded,
    ['respond_checkpoint', { option_id: 'yes' }],
    ['next_activity', { activity_id: 'sign', step_manifest: manifest }],
    ['yield_checkpoint', { checkpoint_id: 'signature' }],
  ],
  dismissedSignature: [
    ...yielded,
    ['respond_checkpoint', { option_id: 'yes' }],
    ['next_activity', { activity_id: 'sign', step_manifest: manifest, variables: { urgent: true } }],
    ['yield_checkpoint', { checkpoint_id: 'signature' }],
  ],
  shipped: [
    ...yielded,
    ['respond_checkpoint', { option_id: 'yes' }],
    ['next_activity', { activity_id: 'sign', step_manifest: manifest, variables: { urgent: true } }],
    ['next_activity', { activity_id: 'ship', step_manifest: [{ step_id: 'sign-off', output: 'alpha' }] }],
    ['next_activity', { step_manifest: [{ step_id: 'send', output: 'alpha' }] }],
  ],
} as const satisfies Readonly<Record<string, ToolCalls>>;

/** The name of a situation in the workflow `release`. */
export type Situation = keyof typeof callsTo;

/** Starts a session on `release`, and brings it into a situation with valid calls. */
export async function prepareSession(server: ServedHost, to: Situation): Promise<PreparedSession> {
  const started = await server.call('start_session', { agent_id: 'agent', workflow_id: 'release' });
  const tokens = [started.token];
  for (const [tool, args] of callsTo[to]) {
    const answer = await server.call(tool, { session_token: tokens.at(-1), ...args });
    if (answer.isError || answer.token === '') throw new Error(`${tool} before '${to}': ${answer.raw}`);
    tokens.push(answer.token);
  }
  return { sid: String(started.json['session_id']), token: tokens.at(-1) ?? '', tokens };
}

/** Returns one shared session for each situation. Use it only for calls that are refused and so don't change the session. */
export function sharedSessions(server: ServedHost): (to: Situation) => Promise<PreparedSession> {
  const known = new Map<Situation, Promise<PreparedSession>>();
  return (to) => {
    const prepared = known.get(to) ?? prepareSession(server, to);
    known.set(to, prepared);
    return prepared;
  };
}
