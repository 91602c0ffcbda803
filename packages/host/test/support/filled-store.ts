import type { AnchoredHead, Operator, OperatorParts } from '@workflowlookup/core/operator';
import type { Reply, SessionParts, Sessions } from '@workflowlookup/core/sessions';
import { anchorLine, createOperator } from '@workflowlookup/core/operator';
import { createSessions } from '@workflowlookup/core/sessions';
import { createReferenceCodec, newSessionId } from '@workflowlookup/core/tokens';
import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { activityWorkflow } from '../../../core/test/support/sessions.ts';
import { errands, fetchManifest } from '../../../core/test/support/test-server.ts';
import { keyRing } from '../../../core/test/support/tokens.ts';

/** The keys of the servers. The person who writes to the database does not have them. */
export const keys = keyRing(1);

const child = activityWorkflow([{ id: 'a' }, { id: 'b' }], { id: 'errands-child' });
const workflows = createMemoryStore([errands, child]);

const policy: SessionParts['policy'] = {
  enforcement: 'advisory',
  minResponseMs: 0,
  gates: 'declared',
  trustElicitation: false,
  humanAnswersWith: (sid) => `the console, session ${sid}`,
};

/** Returns the parts of a server with this store. Its clock and its random bytes are the same in each run. */
export function partsOver(store: SessionStore, { onHead }: Pick<OperatorParts, 'onHead'> = {}): SessionParts {
  let tick = Date.parse('2026-03-01T10:00:00Z');
  let next = 0;
  return {
    workflows,
    vault: () => Promise.resolve({ store, keys, tokens: createReferenceCodec(keys) }),
    policy,
    caller: { principal: 'local', project: '/home/someone/errands' },
    now: () => new Date((tick += 1_000)),
    random: (length) => Uint8Array.from({ length }, () => (next = (next * 137 + 71) % 251)),
    ...(onHead === undefined ? {} : { onHead }),
  };
}

/** A store with sessions in many different states. */
export interface FilledStore {
  /** The tokens that continue the sessions. */
  readonly tokens: readonly string[];
  /** The lines that the servers wrote to their anchor. */
  readonly anchor: readonly string[];
}

/** Fills a store like a server: with refusals, large outputs, answers, child sessions, several agents and completed sessions. */
export async function fill(store: SessionStore): Promise<FilledStore> {
  const anchor: string[] = [];
  const onHead = (head: AnchoredHead): void => {
    if (store.seals !== undefined) anchor.push(anchorLine(store.seals, head));
  };
  const parts = partsOver(store, { onHead });
  const sessions = createSessions(parts);
  const operator = operatorOver(parts, store);
  const refused = async (call: Promise<unknown>): Promise<void> =>
    void (await call.catch((error: unknown) => error));
  async function begun(agentId: string): Promise<string> {
    const { token } = await sessions.start({ agentId, workflowId: 'errands' });
    return (await sessions.move(token, {})).token;
  }

  const ended = await begun('baker');
  await refused(sessions.resource(ended, 'nothing'));
  const left = await sessions.yield(ended, 'bake-now');
  await refused(sessions.activity(left.token, { full: true }));
  const answered = await sessions.answer(left.token, { mode: { kind: 'option', option: 'yes' } });
  const baking = await sessions.move(answered.token, {
    manifest: fetchManifest.map((entry) => ({ ...entry, output: entry.output.repeat(2_000) })),
  });
  const done = await sessions.move(baking.token, { manifest: [{ step_id: 'knead', output: 'Kneaded' }] });

  const waiting = await begun('baker');
  const { token: helper } = await sessions.start({ agentId: 'helper', sessionToken: waiting });
  await sessions.activity(helper, { full: true });
  const asked = await sessions.yield(waiting, 'bake-now');

  const parent = await begun('lead');
  const below = await sessions.start({ agentId: 'worker', workflowId: 'errands-child', parentToken: parent });
  const moved = await sessions.move(below.token, {});

  const abandoned = await begun('baker');
  await operator.abandon((await store.find({}, { limit: 1 })).sessions[0]?.sid ?? '');
  await store.calls(newSessionId());
  return { tokens: [done.token, asked.token, parent, moved.token, abandoned], anchor };
}

/** Returns the operator of a person for the sessions in a store. */
export function operatorOver(parts: SessionParts, store: SessionStore): Operator {
  return createOperator({ ...parts, store: () => Promise.resolve(store), person: 'ana' });
}

/** Returns the problems of all sessions in a store, like `sessions verify --all --anchor`. */
export async function problemsIn(
  store: SessionStore,
  anchor?: readonly string[],
): Promise<readonly string[]> {
  const operator = operatorOver(partsOver(store), store);
  const anchors = anchor && (await operator.anchors(anchor));
  const survey = await operator.survey();
  const sids = new Set([...survey.sids, ...(anchors?.heads.keys() ?? [])]);
  const found: string[] = survey.problems.map(({ code }) => code);
  for (const sid of sids) {
    const { problems } = await operator.verify(sid, anchors);
    found.push(...problems.map(({ code }) => code));
  }
  return found;
}

/**
 * Returns everything that a server with this store answers, by the name of the call: to agents, to a person, and to the
 * next valid calls. The answer to a refused call is its code.
 */
export async function served(
  store: SessionStore,
  tokens: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const parts = partsOver(store);
  const sessions = createSessions(parts);
  const operator = operatorOver(parts, store);
  const answers: Record<string, unknown> = {};
  async function ask(name: string, call: () => Promise<unknown>): Promise<void> {
    try {
      answers[name] = JSON.parse(JSON.stringify((await call()) ?? null));
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      answers[name] = { code: error.code, reason: error.data['reason'] };
    }
  }
  await ask('discover', () => sessions.discover());
  await ask('find', async () => (await operator.find({})).sessions);
  await ask('counts', () => operator.counts());
  const { sessions: rows } = await operator.find({});
  for (const [at, token] of tokens.entries()) await readAll(`${at}`, token, { sessions, ask });
  for (const { sid } of rows) {
    await ask(`${sid} summary`, () => operator.summary(sid));
    await ask(`${sid} history`, () => operator.history(sid));
    await ask(`${sid} contents`, () => operator.contents(sid));
    await ask(`${sid} events`, () => operator.events(sid));
    await ask(`${sid} task`, () => operator.task(sid));
    await ask(`${sid} question`, () => operator.present(sid));
  }
  const [done = '', asked = '', parent = '', below = ''] = tokens;
  await ask('again', () => sessions.move(done, {}));
  await ask('answer', () => sessions.answer(asked, { mode: { kind: 'option', option: 'no' } }));
  await ask('go on', () => sessions.move(parent, { manifest: fetchManifest }));
  await ask('below', () => sessions.move(below, { manifest: [] }));
  return answers;
}

interface Reading {
  readonly sessions: Sessions;
  ask(name: string, call: () => Promise<unknown>): Promise<void>;
}

async function readAll(name: string, token: string, { sessions, ask }: Reading): Promise<void> {
  const full = { full: true, summary: false };
  const value = async (reply: Promise<Reply<unknown>>): Promise<unknown> => (await reply).value;
  await ask(`${name} status`, () => value(sessions.status(token)));
  await ask(`${name} workflow`, () => value(sessions.workflow(token, full)));
  await ask(`${name} activity`, () => value(sessions.activity(token, full)));
  await ask(`${name} skills`, () => value(sessions.skills(token)));
  await ask(`${name} trace`, () => value(sessions.trace(token)));
  await ask(`${name} resume`, () => value(sessions.resume(token)));
}
