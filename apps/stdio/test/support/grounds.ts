import type { ServedHost } from './served-host.ts';

/** Where a session stands when something is tried on it, and the tokens it went through, newest last. */
export interface Ground {
  readonly sid: string;
  readonly token: string;
  readonly tokens: readonly string[];
}

/** Calls that lead a session somewhere: each a tool and its arguments beside the token. */
type Way = readonly (readonly [tool: string, args: object])[];

const enter: Way = [['next_activity', { activity_id: 'draft' }]];
const yielded: Way = [...enter, ['yield_checkpoint', { checkpoint_id: 'go' }]];

const manifest = ['write', 'check', 'ask'].map((step_id) => ({ step_id, output: 'alpha' }));

/** The places the tests try something at. */
const ways = {
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
} as const satisfies Readonly<Record<string, Way>>;

/** A place of `release`. */
export type GroundName = keyof typeof ways;

/** Starts a session of `release` and leads it there by legal calls. */
export async function lead(server: ServedHost, to: GroundName): Promise<Ground> {
  const started = await server.call('start_session', { agent_id: 'agent', workflow_id: 'release' });
  const tokens = [started.token];
  for (const [tool, args] of ways[to]) {
    const answer = await server.call(tool, { session_token: tokens.at(-1), ...args });
    if (answer.isError || answer.token === '') throw new Error(`${tool} on the way to ${to}: ${answer.raw}`);
    tokens.push(answer.token);
  }
  return { sid: String(started.json['session_id']), token: tokens.at(-1) ?? '', tokens };
}

/** One session for each place, for what must be refused: it stands there as often as it is asked for. */
export function sharedGrounds(server: ServedHost): (to: GroundName) => Promise<Ground> {
  const known = new Map<GroundName, Promise<Ground>>();
  return (to) => {
    const ground = known.get(to) ?? lead(server, to);
    known.set(to, ground);
    return ground;
  };
}
