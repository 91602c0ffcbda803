import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError, didYouMean } from '@workflowlookup/schema';
import type { SessionStore, WorkflowStore } from '@workflowlookup/storage';
import { createMemorySessionStore, createMemoryStore } from '@workflowlookup/storage/memory';
import type { Engine } from '../engine.ts';
import { createEngine } from '../engine.ts';
import { createOperator } from '../operator/create-operator.ts';
import type { Operator } from '../operator/create-operator.ts';
import { readDefinition, readWorkflowFolder } from '../read-definition.ts';
import { createSessionsOf } from '../session-engine/create-sessions.ts';
import type { SessionPolicy, Sessions } from '../session-engine/sessions.ts';
import type { KeyRing } from '../session-engine/session-tokens.ts';
import { createReferenceCodec } from '../session-engine/session-tokens.ts';
import { messages } from '../messages/sessions.ts';
import type { DefinedWorkflow } from './define-workflow.ts';
import type { WorkflowSession } from './workflow-session.ts';
import { openWorkflowSession } from './workflow-session.ts';
import { workflowMessages } from '../messages/lookup.ts';

/** What {@link createWorkflows} takes. Everything has a default. */
export interface WorkflowsOptions {
  /** Workflows that the program brings along. */
  readonly definitions?: readonly (DefinedWorkflow | Workflow)[];
  /** Serves workflows in place of `definitions`, for instance out of a database. */
  readonly source?: WorkflowStore;
  /** Keeps sessions; by default in memory, as long as the program runs. */
  readonly store?: SessionStore;
  /** Keys that seal what `store` keeps; by default new ones, which is right for memory alone. */
  readonly keys?: KeyRing;
  /** How strictly sessions hold agents to the workflow. Default `strict`. */
  readonly enforcement?: SessionPolicy['enforcement'];
  /** Which checkpoints a person must answer: those whose workflow says so, or all of them. Default `declared`. */
  readonly checkpoints?: 'declared' | 'person';
  /**
   * Whether every checkpoint is asked, or those that are `reversible` take their default option and are listed for review.
   * Default `ask`.
   */
  readonly autonomy?: SessionPolicy['autonomy'];
}

/** A set of workflows, and the sessions that follow them. */
export interface Workflows {
  /** The workflows that can be started, sorted by id. */
  list(): Promise<readonly WorkflowSummary[]>;
  /**
   * Starts a session.
   *
   * @throws WorkflowError `WORKFLOW_NOT_FOUND`; `INVALID_WORKFLOW` with the problems of the definition
   */
  start<Defined extends { readonly id: string }>(
    workflow: Defined | string,
    options?: { readonly agent?: string },
  ): Promise<WorkflowSession<Defined>>;
  /** Continues a session by its id, as the same agent or as another one. @throws WorkflowError `NOT_FOUND` if there is no such session */
  resume<Defined extends { readonly id: string } = { readonly id: string }>(
    sessionId: string,
    options?: { readonly agent?: string },
  ): Promise<WorkflowSession<Defined>>;
  /** Step lookup and validation without sessions. */
  readonly engine: Engine;
  /** What a person can do: find sessions, read their journal, answer checkpoints, verify, export. */
  operator(person: string): Operator;
  /** Releases what was opened. */
  close(): Promise<void>;
}

/**
 * Makes workflows ready to be followed, in memory unless a store is given.
 *
 * @throws WorkflowError `INVALID_INPUT` for an option that does not exist, or a store that lacks methods
 * @example
 * ```ts
 * const workflows = createWorkflows({ definitions: [review] });
 * const session = await workflows.start(review, { agent: 'ci' });
 * let result = await session.enter();
 * if (result.status === 'active') result = await session.next({ outputs: { read: 'Two typos.' } });
 * ```
 */
export function createWorkflows(options: WorkflowsOptions = {}): Workflows {
  checkOptions(options, optionNames);
  checkMembers('store', options, storeMembers);
  checkMembers('source', options, sourceMembers);
  const { definitions = [], source = definedSource(definitions), keys = newKeys() } = options;
  const store = options.store ?? createMemorySessionStore();
  const engine = createEngine({ workflows: source });
  const policy: SessionPolicy = {
    enforcement: options.enforcement ?? 'strict',
    gates: options.checkpoints === 'person' ? 'human' : 'declared',
    minResponseMs: 0,
    trustElicitation: false,
    autonomy: options.autonomy ?? 'ask',
    humanAnswersWith: messages.answerInProgram,
  };
  const vault = { store, keys, tokens: createReferenceCodec(keys) };
  const sessions = createSessionsOf({ workflows: source, policy, vault: async () => vault })({
    principal: 'local',
  });
  return workflowsOver({
    engine,
    sessions,
    operatorOf: (person) => createOperator({ store: async () => store, policy, person, channel: 'library' }),
    async close() {
      await engine.close();
      if (options.store === undefined) await store.close();
    },
  });
}

const optionNames: Readonly<Record<keyof WorkflowsOptions, true>> = {
  definitions: true,
  source: true,
  store: true,
  keys: true,
  enforcement: true,
  checkpoints: true,
  autonomy: true,
};

/** The methods that every store has. */
const storeMembers: Readonly<Record<RequiredOf<SessionStore>, true>> = {
  create: true,
  load: true,
  append: true,
  recorded: true,
  events: true,
  find: true,
  counts: true,
  recordCall: true,
  calls: true,
  putDefinition: true,
  getDefinition: true,
  putBlob: true,
  getBlob: true,
  blobs: true,
  joinAgent: true,
  agents: true,
  delivered: true,
  markDelivered: true,
  resetDelivered: true,
  prune: true,
  changes: true,
  health: true,
  close: true,
};

const sourceMembers: Readonly<Record<RequiredOf<WorkflowStore>, true>> = {
  list: true,
  get: true,
  problems: true,
  watch: true,
  close: true,
};

type RequiredOf<Store> = {
  [Name in keyof Store]-?: undefined extends Store[Name] ? never : Name;
}[keyof Store] &
  string;

/**
 * Refuses a store of the program that lacks methods. Without type checks, the first call that needs one would fail.
 *
 * @throws WorkflowError `INVALID_INPUT`
 */
function checkMembers(
  option: 'source' | 'store',
  given: WorkflowsOptions,
  members: Readonly<Record<string, true>>,
): void {
  const store = given[option];
  if (store === undefined) return;
  const missing = Object.keys(members).filter((name) => typeof Reflect.get(store, name) !== 'function');
  if (missing.length === 0) return;
  const data = { option, missing };
  throw new WorkflowError('INVALID_INPUT', messages.missingMembers(option, missing), { data });
}

/**
 * Refuses options that do not exist. A program without type checks would otherwise not notice that a misspelled option,
 * such as the place of its sessions, has no effect.
 *
 * @throws WorkflowError `INVALID_INPUT`
 */
export function checkOptions(options: object, known: Readonly<Record<string, true>>): void {
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const message = messages.unknownOption(unknown, names, didYouMean(unknown, names));
  throw new WorkflowError('INVALID_INPUT', message, { data: { option: unknown, options: names } });
}

/** What {@link workflowsOver} puts together. */
export interface WorkflowsParts {
  readonly engine: Engine;
  readonly sessions: Sessions;
  operatorOf(person: string): Operator;
  close(): Promise<void>;
}

/** Creates the workflows of an application from an engine and sessions that already exist. */
export function workflowsOver({ engine, sessions, operatorOf, close }: WorkflowsParts): Workflows {
  return {
    engine,
    operator: operatorOf,
    close,
    list: () => engine.summaries(),
    async start(workflow, { agent = 'agent' } = {}) {
      const workflowId = typeof workflow === 'string' ? workflow : workflow.id;
      const started = await sessions.start({ agentId: agent, workflowId });
      return openWorkflowSession({ sessions, operatorOf, agent }, started);
    },
    async resume(sessionId, { agent = 'agent' } = {}) {
      const found = await operatorOf(agent).summary(sessionId);
      if (found === undefined) {
        throw new WorkflowError('NOT_FOUND', workflowMessages.noSession(sessionId), {
          data: { session_id: sessionId },
        });
      }
      const resumed = await sessions.start({ agentId: agent, sessionToken: sessionId });
      return openWorkflowSession({ sessions, operatorOf, agent }, resumed);
    },
  };
}

/**
 * A source that serves definitions of the program. They are read, and checked, when the first one is asked for. `get`
 * throws INVALID_WORKFLOW for one that can't be used.
 */
export function definedSource(definitions: readonly (DefinedWorkflow | Workflow)[]): WorkflowStore {
  const store = createMemoryStore();
  let reading: Promise<void> | undefined;
  const unusable = new Map<string, unknown>();
  const read = async (): Promise<void> => {
    for (const one of definitions) {
      // Of two definitions with the same id, the last one counts.
      unusable.delete(one.id);
      try {
        store.set('kind' in one ? one : await readDefined(one));
      } catch (error) {
        store.delete(one.id);
        unusable.set(one.id, error);
      }
    }
  };
  const ready = (): Promise<void> => (reading ??= read());
  return {
    ...store,
    async list() {
      await ready();
      return store.list();
    },
    async get(id) {
      await ready();
      if (unusable.has(id)) throw unusable.get(id);
      return store.get(id);
    },
  };
}

async function readDefined({ id, definition }: DefinedWorkflow): Promise<Workflow> {
  const { workflow, issues } =
    'steps' in definition
      ? await readDefinition({
          format: 'json',
          text: JSON.stringify({ ...definition, description: definition.description ?? definition.name }),
        })
      : await readFolder(id, {
          version: '1.0.0',
          ...definition,
          activities: definition.activities.map((activity) => ({ version: '1.0.0', ...activity })),
        });
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (workflow !== undefined && errors.length === 0) return workflow;
  const problems = errors.flatMap(({ pointer, message, suggestion = '' }) => [
    `${pointer || '/'}: ${message}`,
    ...(suggestion === '' ? [] : [suggestion]),
  ]);
  throw new WorkflowError('INVALID_WORKFLOW', workflowMessages.definitionUnusable(id, problems), {
    data: { workflow_id: id, issues },
  });
}

async function readFolder(
  id: string,
  definition: object,
): Promise<Pick<Awaited<ReturnType<typeof readDefinition>>, 'issues'> & { workflow?: Workflow }> {
  const { workflow, issuesByFile } = await readWorkflowFolder(
    new Map([['workflow.json', JSON.stringify(definition)]]),
    { id },
  );
  return { ...(workflow !== undefined && { workflow }), issues: [...issuesByFile.values()].flat() };
}

function newKeys(): KeyRing {
  const key = { id: 'memory', secret: crypto.getRandomValues(new Uint8Array(32)) };
  return { signing: key, verifying: [key] };
}
