import { WorkflowError } from '@workflowlookup/schema';
import type { NextCall } from '@workflowlookup/core';
import type { Reply, SessionStatus, Sessions, Values } from '@workflowlookup/core/sessions';

/** What an agent brings along beside obedience; everything else it takes from the server. */
export interface Conduct {
  /** What it hands in for a step; `visit` is 0 the first time its activity is left. */
  output(step: string, visit: number): string;
  /** Why a step can't be done; none: it is done. */
  notDone?(step: string): string | undefined;
  /** What it does to the world before it collects evidence and leaves an activity. */
  work?(activity: string): void;
  /** The option a checkpoint is answered with; `time` counts the answers before. */
  choose(question: {
    checkpoint: string;
    activity: string;
    options: readonly string[];
    time: number;
  }): string;
  /** What the work taught, handed in on leaving; `visit` is 0 the first time. */
  learn(activity: string, visit: number): Values;
  /** Values for variables nobody set, of which one decides the way on; none: they can't be known, so the end is named. */
  settle(variables: readonly string[]): Values;
  /** Values that may clear what the status says is in the way. */
  clear(obstacle: string): Values;
}

/** Where obedience led. */
export interface Journey {
  readonly sid: string;
  /** The last token. */
  readonly token: string;
  readonly end: SessionStatus;
  /** Activities in the order they were entered. */
  readonly path: readonly string[];
  /** Checkpoints in the order they were answered, each with its option. */
  readonly answers: readonly string[];
  /** How many of the answers only a person could give. */
  readonly byPeople: number;
  readonly warnings: readonly string[];
  /** Variables it tried to write and that were not its own. */
  readonly kept: ReadonlySet<string>;
}

/** Things an agent may do: some hundred moves, with the checkpoints on the way. */
const mostActs = 1000;
const mostRefusals = 50;

type Call<Kind extends NextCall['kind']> = Extract<NextCall, { kind: Kind }>;

/**
 * Runs a session from its start to its end, doing nothing but what the status says is next: it reads, yields, puts
 * questions, answers (as a person where only a person may), and moves with the steps that are due.
 *
 * @throws where the server says nothing more to do, refuses what it asked for, or leads on for ever
 */
export async function obey(sessions: Sessions, workflowId: string, conduct: Conduct): Promise<Journey> {
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
  throw new Error(`No end after ${mostActs} acts: ${agent.path.slice(-20).join(', ')}`);
}

/** An agent at work: its token, and what it did. */
interface Agent extends Pick<Journey, 'path' | 'answers' | 'warnings' | 'byPeople' | 'token' | 'kept'> {
  prepare(): Promise<void>;
  look(): Promise<SessionStatus>;
  act(status: SessionStatus): Promise<void>;
}

function createAgent(sessions: Sessions, first: string, conduct: Conduct): Agent {
  let token = first;
  let byPeople = 0;
  let refusals = 0;
  /** How many activities it has worked in. */
  let worked = 0;
  let isWary = false;
  let promised: { readonly steps: readonly string[]; readonly variables: Values } | undefined;
  const path: string[] = [];
  const answers: string[] = [];
  const warnings: string[] = [];
  const kept = new Set<string>();

  /** Keeps the token and the warnings of an answer. */
  async function note<Value>(call: Promise<Reply<Value>>): Promise<Value> {
    const reply = await call;
    token = reply.token;
    warnings.push(...reply.warnings);
    return reply.value;
  }

  async function answer({ checkpoint, options, by }: Call<'answer'>): Promise<void> {
    const { activity, answeredBy } = await note(sessions.present(token));
    const needsHuman = answeredBy === 'person';
    if (needsHuman !== (by === 'human')) throw new Error(`Who answers '${checkpoint}' is told in two ways`);
    const time = answers.filter((one) => one.startsWith(`${checkpoint}: `)).length;
    const option = conduct.choose({ checkpoint, activity, options, time });
    const through = needsHuman ? 'elicitation' : 'call';
    await note(sessions.answer(token, { mode: { kind: 'option', option }, through, note: 'Because.' }));
    await note(sessions.resume(token));
    answers.push(`${checkpoint}: ${option}`);
    if (needsHuman) byPeople += 1;
  }

  /** What it can say of variables: what the work taught, and what the status asks for. */
  function valuesFor({ current, obstacle }: SessionStatus, { undecided = [] }: Call<'move'>): Values {
    const values: Values = {
      ...(obstacle === undefined ? {} : conduct.clear(obstacle)),
      ...(undecided.length === 0 ? {} : conduct.settle(undecided)),
      ...(current === undefined || isWary ? {} : conduct.learn(current, visitsOf(current))),
    };
    return Object.fromEntries(Object.entries(values).filter(([name]) => !kept.has(name)));
  }

  /** All steps that are due, where the status has cut them short. */
  async function remaining(): Promise<readonly string[]> {
    const { body } = await note(sessions.activity(token, { full: false }));
    const listed = /^remaining\[\d+\]: (.*)$/m.exec(body)?.[1] ?? '';
    return listed.split(',').map((id) => id.replaceAll('"', ''));
  }

  function visitsOf(activity: string): number {
    return path.filter((one) => one === activity).length - 1;
  }

  async function move(status: SessionStatus, call: Call<'move'>): Promise<void> {
    const { current = '' } = status;
    const { steps, variables } = promised ?? {
      steps: call.moreSteps === undefined ? call.steps : await remaining(),
      variables: valuesFor(status, call),
    };
    const isEnd = call.undecided !== undefined && call.undecided.every((name) => !(name in variables));
    promised = undefined;
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
      // What it said of variables may ask for more steps than the status knew of.
      refusals += 1;
      if (Object.keys(variables).length === 0 || refusals > mostRefusals) throw error;
      if (error instanceof WorkflowError && error.code === 'VARIABLE_PROTECTED') {
        for (const name of error.data['variables'] as readonly string[]) kept.add(name);
        return undefined;
      }
      const due = /The required steps, in order: ([^.]+)\./.exec(String(error))?.[1]?.split(', ');
      promised = due === undefined ? undefined : { steps: due, variables };
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
          throw new Error(`Nothing to do at '${status.current}': ${status.obstacle}`);
      }
    },
  };
}
