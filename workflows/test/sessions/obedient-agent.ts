import { WorkflowError } from '@workflowlookup/schema';
import type { NextCall } from '@workflowlookup/core';
import type { Reply, SessionStatus, Sessions, Values } from '@workflowlookup/core/sessions';

/** The choices of an agent that otherwise does exactly what the server says. */
export interface Conduct {
  /** Returns the output for a step. `visit` is 0 when its activity is left for the first time. */
  output(step: string, visit: number): string;
  /** Returns why a step can't be done, or undefined if it is done. */
  notDone?(step: string): string | undefined;
  /** Changes files before the agent collects evidence and leaves an activity. */
  work?(activity: string): void;
  /** Returns the option for a checkpoint. `time` is the number of earlier answers. */
  choose(question: {
    checkpoint: string;
    activity: string;
    options: readonly string[];
    time: number;
  }): string;
  /** Returns the variables to submit when an activity is left. `visit` is 0 the first time. */
  learn(activity: string, visit: number): Values;
  /** Returns values for unset variables that decide the transition. If there are none, the agent asks for the end. */
  settle(variables: readonly string[]): Values;
  /** Returns values that may remove the obstacle that the status reports. */
  clear(obstacle: string): Values;
}

/** A session that the agent led to its end. */
export interface FinishedSession {
  readonly sid: string;
  /** The last token. */
  readonly token: string;
  readonly end: SessionStatus;
  /** Activities in the order they were entered. */
  readonly path: readonly string[];
  /** Checkpoints in the order they were answered, each with its option. */
  readonly answers: readonly string[];
  /** The number of answers that only a person could give. */
  readonly byPeople: number;
  readonly warnings: readonly string[];
  /** Variables that the agent tried to set but must not set. */
  readonly kept: ReadonlySet<string>;
}

/** The maximum number of calls: some hundred moves and their checkpoints. */
const mostActs = 1000;
const mostRefusals = 50;

type Call<Kind extends NextCall['kind']> = Extract<NextCall, { kind: Kind }>;

/** The session can't reach its end. */
export class StuckSession extends Error {
  readonly path: FinishedSession['path'];
  readonly kept: FinishedSession['kept'];

  constructor(message: string, agent: Pick<FinishedSession, 'path' | 'kept'>, options?: ErrorOptions) {
    super(message, options);
    this.path = agent.path;
    this.kept = agent.kept;
  }
}

/**
 * Runs a session from its start to its end and only makes the calls that the status names: it reads, yields, presents
 * and answers checkpoints (as a person if only a person can), and moves with the required steps.
 *
 * @throws StuckSession if the session does not reach an end
 * @throws if the server names no next call, or refuses a call it named
 */
export async function obey(
  sessions: Sessions,
  workflowId: string,
  conduct: Conduct,
): Promise<FinishedSession> {
  const started = await sessions.start({ agentId: 'obedient', workflowId });
  const agent = createAgent(sessions, started.token, conduct);
  await agent.prepare();
  for (let acts = 0; acts < mostActs; acts += 1) {
    const status = await agent.look();
    if (status.status === 'completed') {
      const { path, answers, warnings, byPeople, kept } = agent;
      const { sid } = started.value;
      return { sid, token: agent.token, end: status, path, answers, byPeople, warnings, kept };
    }
    await agent.act(status);
  }
  const last = agent.path.slice(-20).join(', ');
  throw new StuckSession(`The session has not ended after ${mostActs} acts: ${last}`, agent);
}

/** An agent in a session, with its token and a record of its calls. */
interface Agent extends Pick<
  FinishedSession,
  'path' | 'answers' | 'warnings' | 'byPeople' | 'token' | 'kept'
> {
  prepare(): Promise<void>;
  look(): Promise<SessionStatus>;
  act(status: SessionStatus): Promise<void>;
}

/** Returns the first field of each entry of a list in TOON, whether the list is a table or not. */
function columnIn(toon: string, list: string, field: string): readonly string[] {
  const found = new RegExp(`^${list}\\[\\d+\\](\\{.*\\})?:\\n((?: .*\\n?)+)`, 'm').exec(toon);
  const [, columns, entries = ''] = found ?? [];
  const first = columns === undefined ? new RegExp(`^ {2}- ${field}: (.+)$`, 'gm') : /^ {2}([^,]+)/gm;
  return Array.from(entries.matchAll(first), ([, value = '']) => withoutQuotes(value));
}

function withoutQuotes(text: string): string {
  return text.replaceAll('"', '');
}

function createAgent(sessions: Sessions, first: string, conduct: Conduct): Agent {
  let token = first;
  let byPeople = 0;
  let refusals = 0;
  /** The number of activities that it has worked in. */
  let worked = 0;
  let isWary = false;
  const path: string[] = [];
  const answers: string[] = [];
  const warnings: string[] = [];
  const kept = new Set<string>();

  /** Keeps the token and the warnings of a reply. */
  async function note<Value>(call: Promise<Reply<Value>>): Promise<Value> {
    const reply = await call;
    token = reply.token;
    warnings.push(...reply.warnings);
    return reply.value;
  }

  async function answer({ checkpoint, options, by }: Call<'answer'>): Promise<void> {
    const { activity, answeredBy } = await note(sessions.present(token));
    const needsHuman = answeredBy === 'person';
    if (needsHuman !== (by === 'human'))
      throw new Error(`The server contradicts itself about who may answer '${checkpoint}'.`);
    const time = answers.filter((one) => one.startsWith(`${checkpoint}: `)).length;
    const option = conduct.choose({ checkpoint, activity, options, time });
    const through = needsHuman ? 'elicitation' : 'call';
    await note(sessions.answer(token, { mode: { kind: 'option', option }, through, note: 'Because.' }));
    await note(sessions.resume(token));
    answers.push(`${checkpoint}: ${option}`);
    if (needsHuman) byPeople += 1;
  }

  /** Returns the variables to submit: those of the activity, and those that the status asks for. */
  function valuesFor({ current, obstacle }: SessionStatus, { undecided = [] }: Call<'move'>): Values {
    const values: Values = {
      ...(obstacle === undefined ? {} : conduct.clear(obstacle)),
      ...(undecided.length === 0 ? {} : conduct.settle(undecided)),
      ...(current === undefined || isWary ? {} : conduct.learn(current, visitsOf(current))),
    };
    return Object.fromEntries(Object.entries(values).filter(([name]) => !kept.has(name)));
  }

  /** Returns all required steps, in order. If there are many, the status shows only the first ones. */
  async function requiredSteps({ steps, moreSteps }: Call<'move'>): Promise<readonly string[]> {
    if (moreSteps === undefined) return steps;
    const { body } = await note(sessions.activity(token, { full: false }));
    const [, listed = ''] = /^remaining\[\d+\]: (.*)$/m.exec(body) ?? [];
    const all = [...listed.split(',').map(withoutQuotes), ...columnIn(body, 'answered', 'step')];
    const order = columnIn(body, 'steps', 'id');
    // The steps of loops, which are not among those of the activity, are already in order.
    const rankOf = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
    return all.toSorted((a, b) => rankOf(a) - rankOf(b));
  }

  function visitsOf(activity: string): number {
    return path.filter((one) => one === activity).length - 1;
  }

  async function move(status: SessionStatus, call: Call<'move'>): Promise<void> {
    const { current = '' } = status;
    const steps = await requiredSteps(call);
    const variables = valuesFor(status, call);
    const isEnd = call.undecided !== undefined && call.undecided.every((name) => !(name in variables));
    isWary = false;
    const manifest = steps.map((step) => {
      const reason = conduct.notDone?.(step);
      if (reason !== undefined) return { step_id: step, output: '', not_done: reason };
      return { step_id: step, output: conduct.output(step, visitsOf(current)) };
    });
    const request = {
      ...(status.current === undefined ? {} : { manifest }),
      ...(isEnd ? { activityId: 'end' } : {}),
      variables,
    };
    const moved = await note(sessions.move(token, request)).catch((error: unknown) => {
      refusals += 1;
      if (Object.keys(variables).length === 0) throw error;
      if (refusals > mostRefusals) throw new StuckSession(String(error), { path, kept }, { cause: error });
      if (error instanceof WorkflowError && error.code === 'VARIABLE_PROTECTED') {
        for (const name of error.data['variables'] as readonly string[]) kept.add(name);
        return undefined;
      }
      // The submitted variables may make more steps required than the status listed.
      isWary = true;
    });
    if (moved?.status === 'active') path.push(moved.activity);
  }

  return {
    path,
    answers,
    warnings,
    kept,
    get byPeople() {
      return byPeople;
    },
    get token() {
      return token;
    },
    prepare: async () => void (await note(sessions.workflow(token, { summary: true, full: false }))),
    look: () => note(sessions.status(token)),
    async act(status) {
      const call = status.next.find(({ kind }) => kind === 'yield' || kind === 'answer' || kind === 'move');
      const reads = status.next[0]?.kind === 'read-activity' && call?.kind === 'move';
      if (reads) await note(sessions.activity(token, { full: false }));
      if (call?.kind === 'move' && status.current !== undefined && worked < path.length) {
        worked = path.length;
        conduct.work?.(status.current);
      }
      if (status.next.some(({ kind }) => kind === 'collect'))
        await note(sessions.collect(token, { waitMs: 20_000 }));
      switch (call?.kind) {
        case 'yield':
          await note(sessions.yield(token, call.checkpoint));
          return;
        case 'answer':
          return answer(call);
        case 'move':
          return move(status, call);
        default:
          throw new Error(`The status has no next call in '${status.current}': ${status.obstacle}`);
      }
    },
  };
}
