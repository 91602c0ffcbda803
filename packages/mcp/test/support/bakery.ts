import { createEngine, readWorkflowFolder } from '@workflowlookup/core';
import type { Operator } from '@workflowlookup/core/operator';
import { createOperator } from '@workflowlookup/core/operator';
import { createSessions } from '@workflowlookup/core/sessions';
import { createReferenceCodec } from '@workflowlookup/core/tokens';
import type { SessionPolicy } from '@workflowlookup/core/sessions';
import type { Json, Workflow } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { createMemorySessionStore, createMemoryStore } from '@workflowlookup/storage/memory';
import { serverIdentity } from '../../src/server-info.ts';
import { createToolRunner } from '../../src/tool-support/run-tool.ts';
import { tools } from '../../src/tools/table.ts';
import type { Question } from '../../src/tool-support/tool.ts';

/** The files of a small activity workflow with every kind of part, by path. */
export const bakeryFiles: Readonly<Record<string, Json>> = {
  'workflow.json': {
    id: 'bakery',
    version: '1.2.0',
    title: 'Bakery',
    description: 'From sack to loaf',
    tags: ['bread'],
    skills: { primary: 'baking' },
    operations: ['baking::preheat'],
    variables: [
      { name: 'flour', type: 'string', defaultValue: 'rye' },
      { name: 'hot', type: 'boolean' },
    ],
  },
  'activities/01-mix.json': {
    id: 'mix',
    version: '1.0.0',
    name: 'Mix the dough',
    steps: [
      { id: 'weigh', name: 'Weigh', skill: 'baking' },
      { id: 'ask', name: 'Ask', checkpoint: 'bake-now' },
      { id: 'feel', name: 'Feel', checkpoint: 'only-humid', required: false },
      { id: 'try', name: 'Try', checkpoint: 'taste', required: false },
    ],
    checkpoints: [
      {
        id: 'bake-now',
        name: 'Bake now',
        message: 'Bake with {flour}?',
        options: [
          { id: 'yes', label: 'Yes', effect: { setVariable: { hot: true } } },
          { id: 'no', label: 'No', description: 'Another day' },
        ],
        defaultOption: 'no',
        autoAdvanceMs: 60000,
      },
      {
        id: 'only-humid',
        name: 'Humid',
        message: 'Add flour?',
        condition: 'hot == true',
        options: [{ id: 'add', label: 'Add' }],
      },
      {
        id: 'taste',
        name: 'Taste',
        message: 'Does it taste?',
        approver: 'human',
        options: [{ id: 'good', label: 'Good' }],
      },
    ],
    transitions: [
      { to: 'bake', condition: 'hot == true' },
      { to: 'end', isDefault: true },
    ],
  },
  'activities/02-bake.json': {
    id: 'bake',
    version: '1.0.0',
    name: 'Bake it',
    steps: [{ id: 'watch', name: 'Watch', may_be_missing: true }],
    transitions: [{ to: 'mix', condition: 'flour == "burnt"' }],
  },
  'skills/01-baking.json': {
    id: 'baking',
    version: '1.0.0',
    capability: 'Bakes bread',
    rules: { 'clean-hands': 'Wash them first' },
    operations: { preheat: { description: 'Heat the oven', procedure: ['Turn it on'] } },
  },
  'resources/01-ovens.json': { id: 'ovens', version: '2.0.0', list: ['stone', 'steel'] },
};

/** The result of a tool. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** The text parsed as JSON, or empty if it is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly token: string;
}

/** A server with all tools, one workflow, and sessions in memory. */
export interface Bakery {
  call(name: string, args?: object): Promise<Answer>;
  /** The calls that a person can make without the agent. */
  readonly operator: Operator;
  /** Advances the clock. */
  pass(ms: number): void;
  /** Returns the choice of the person for a question. Without this function, the client cannot ask. */
  person?: (question: Question) => string | undefined;
}

/** The store of a bakery, the folder of its caller, and the workflows that it serves instead of its own. */
interface Place {
  readonly store?: SessionStore;
  readonly project?: string;
  readonly workflows?: readonly Workflow[];
}

/** Opens a bakery. By default it has its own store, and its caller works in the folder `/bakery`. */
export async function openBakery(policy: Partial<SessionPolicy> = {}, place?: Place): Promise<Bakery> {
  const {
    store = createMemorySessionStore(),
    workflows: served,
    ...folder
  } = place ?? { project: '/bakery' };
  const workflows = createMemoryStore(served ?? [await bakeryWorkflow()]);
  const key = { id: 'k', secret: new Uint8Array(32).fill(7) };
  const keys = { signing: key, verifying: [key] };
  const vault = { store, keys, tokens: createReferenceCodec(keys) };
  let now = Date.parse('2026-03-01T10:00:00Z');
  const whole: SessionPolicy = {
    enforcement: 'advisory',
    minResponseMs: 3000,
    gates: 'declared',
    trustElicitation: false,
    humanAnswersWith: (sid) => `respond ${sid}`,
    ...policy,
  };
  const sessions = createSessions({
    workflows,
    vault: () => Promise.resolve(vault),
    policy: whole,
    caller: { principal: 'local', ...folder },
    now: () => new Date(now),
  });
  const engine = createEngine({ workflows });
  const runner = createToolRunner({
    tools,
    identity: serverIdentity('1.2.3'),
    services: () => Promise.resolve({ engine, sessions }),
    onError: (error) => {
      throw error;
    },
  });
  const operator = createOperator({
    store: () => Promise.resolve(store),
    policy: whole,
    person: 'ann',
    now: () => new Date(now),
  });
  const bakery: Bakery = {
    operator,
    pass: (ms) => void (now += ms),
    async call(name, args = {}) {
      const { person } = bakery;
      const outcome = await runner.call(
        { name, arguments: args },
        {
          signal: AbortSignal.timeout(10_000),
          ...(person && { elicit: (question) => Promise.resolve(person(question)) }),
        },
      );
      return answerOf('error' in outcome ? { isError: true } : outcome.result);
    },
  };
  return bakery;
}

async function bakeryWorkflow(): Promise<Workflow> {
  const folder = new Map(Object.entries(bakeryFiles).map(([path, value]) => [path, JSON.stringify(value)]));
  const { workflow, issuesByFile } = await readWorkflowFolder(folder, { id: 'bakery' });
  if (workflow === undefined) throw new Error(JSON.stringify([...issuesByFile]));
  return workflow;
}

function answerOf(result: object): Answer {
  const {
    isError = false,
    content,
    _meta: meta = {},
  } = result as {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly _meta?: Record<string, unknown>;
  };
  const text = content?.[0]?.text ?? '';
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { isError, text, json, meta, token: String(meta['session_token']) };
}

/** Starts a session, enters `mix`, and returns the token. */
export async function atMix({ call }: Bakery): Promise<string> {
  const { token } = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
  return (await call('next_activity', { session_token: token })).token;
}

/** Starts a session, enters `mix`, yields a checkpoint, and returns its handle. */
export async function stoppedAt(
  bakery: Bakery,
  checkpoint: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const token = await atMix(bakery);
  const args = { session_token: token, checkpoint_id: checkpoint, variables };
  return (await bakery.call('yield_checkpoint', args)).token;
}
