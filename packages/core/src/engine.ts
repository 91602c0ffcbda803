import type { Context } from '@workflowlookup/conditions';
import type { JsonObject, Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type {
  DefinitionProblem,
  Provenance,
  UntrustedDefinition,
  WorkflowChange,
  WorkflowStore,
} from '@workflowlookup/storage';
import type { Verdict } from '@workflowlookup/validation';
import type { Jobs } from './jobs.ts';
import { inlineJobs } from './jobs.ts';
import { explainAbsence, sharedWorkflowId } from './library/library.ts';
import { activityLookup } from './lookup/activity-lookup.ts';
import type { Lookup, Metadata, NextReply, NextRequest, Preview } from './lookup/lookup.ts';
import { stepLookup } from './lookup/lookup.ts';
import type { DefinitionVerdict } from './read-definition.ts';
import { compileWorkflow } from './navigation/compile-workflow.ts';
import { workflowMessages } from './messages/lookup.ts';

/** The parts that an engine is made from. */
export interface EngineOptions {
  /** The workflows to serve. */
  readonly workflows: WorkflowStore;
  /** Judges outputs and definitions; by default on the thread that asks. */
  readonly jobs?: Jobs;
}

/** A page of the catalogue; problems come with the first page, and only when there are any. */
export interface Listing extends Page {
  /** Definitions that could not be read. */
  readonly problems?: readonly DefinitionProblem[];
  /** Definitions that are not served because they are not trusted. Only their ids may be shown to an agent. */
  readonly untrusted?: readonly UntrustedDefinition[];
}

/** An output to judge by the criteria of its step. */
export interface ValidateRequest {
  readonly workflowId: string;
  readonly stepId: string;
  /** A text, or an object for a step with fields. */
  readonly output: string | JsonObject;
  /** The variables that conditions of the criteria read. */
  readonly context?: Context;
}

/**
 * The workflows of a server and the lookup tools, independent of any protocol or user interface. Every method that
 * fails throws a WorkflowError.
 */
export interface Engine {
  /** One page of the catalogue. */
  list(query?: ListQuery): Promise<Listing>;
  /** Every workflow served, sorted by id; `meta`, which others share, is found by its id alone. */
  summaries(): Promise<readonly WorkflowSummary[]>;
  /** A workflow as it was read. @throws WORKFLOW_NOT_FOUND, INVALID_WORKFLOW, UNSAFE_FILE, SOURCE_UNREADABLE */
  get(id: string): Promise<Workflow>;
  /** Returns the definition that is served under an id and its source, or `undefined` if the store does not know. */
  provenance(id: string): Promise<Provenance | undefined>;
  /** Returns the metadata of a workflow without its steps. @throws as `get` */
  metadata(id: string): Promise<Metadata>;
  /** Metadata and the first step. @throws as `get` */
  preview(id: string): Promise<Preview>;
  /** The next step. @throws as `get`; STEP_NOT_FOUND for an unknown current step; INVALID_STATE for a loop without its variable */
  next(request: NextRequest): Promise<NextReply>;
  /** Judges an output. @throws as `get`; STEP_NOT_FOUND; INVALID_CRITERIA for criteria that can't be used; TOO_COSTLY, BUSY */
  validate(request: ValidateRequest): Promise<Verdict>;
  /** Judges the text of a definition in JSON. @throws TOO_COSTLY, BUSY */
  validateDefinition(text: string): Promise<DefinitionVerdict>;
  /** The same engine for one of several callers: its jobs count against that caller's share. Cheap to call. */
  as(principal: string): Engine;
  /** Calls back after workflows changed. Returns the function that stops it. */
  watch(listener: (change: WorkflowChange) => void): () => void;
  /** Releases the store. */
  close(): Promise<void>;
}

/**
 * Makes an engine over a store: load, decide by pure functions, answer.
 *
 * @example
 * ```ts
 * const engine = createEngine({ workflows: createMemoryStore([workflow]) });
 * const { firstStep } = await engine.preview(workflow.id);
 * ```
 */
export function createEngine({ workflows, jobs = inlineJobs }: EngineOptions): Engine {
  const lookups = new WeakMap<Workflow, Lookup>();

  async function load(id: string): Promise<Workflow> {
    const workflow = await workflows.get(id);
    if (workflow === undefined) throw await explainAbsence(workflows, id);
    return workflow;
  }

  async function lookUp(id: string): Promise<Lookup> {
    const workflow = await load(id);
    const lookup = lookups.get(workflow) ?? lookupOf(workflow);
    lookups.set(workflow, lookup);
    return lookup;
  }

  const engine = {
    async list(query = {}) {
      const page = selectPage(await listed(workflows), query);
      if (query.cursor !== undefined) return page;
      const problems = await workflows.problems();
      const untrusted = (await workflows.untrusted?.()) ?? [];
      return {
        ...page,
        ...(problems.length > 0 && { problems }),
        ...(untrusted.length > 0 && { untrusted }),
      };
    },
    summaries: () => listed(workflows),
    get: load,
    provenance: async (id) => workflows.provenance?.(id),
    metadata: async (id) => (await lookUp(id)).metadata(),
    preview: async (id) => (await lookUp(id)).preview(),
    next: async (request) => (await lookUp(request.workflowId)).next(request),
    watch: (listener) => workflows.watch(listener),
    close: () => workflows.close(),
  } satisfies Partial<Engine>;

  const as = (principal: string): Engine => ({
    ...engine,
    async validate({ workflowId, stepId, output, context = {} }) {
      const lookup = await lookUp(workflowId);
      const { validationCriteria: criteria, fields } = lookup.step(stepId);
      const text = typeof output === 'string' ? output : JSON.stringify(output);
      const ask = { criteria, fields, output: text, context: lookup.variables(context) };
      return jobs.run('judge', ask, { principal });
    },
    validateDefinition: (text) => jobs.run('check-text', { text }, { principal }),
    as,
  });
  return as('local');
}

async function listed(store: WorkflowStore): Promise<readonly WorkflowSummary[]> {
  return (await store.list()).filter(({ id }) => id !== sharedWorkflowId);
}

function lookupOf(workflow: Workflow): Lookup {
  return workflow.kind === 'steps' ? stepLookup(compileWorkflow(workflow)) : activityLookup(workflow);
}

/** The filters of a list; every given one must match. */
export interface ListQuery {
  /** Text that the id, name, description or a tag contains, whatever its case. */
  readonly query?: string;
  readonly category?: string;
  /** Tags a workflow must have, all of them. */
  readonly tags?: readonly string[];
  /** Page size; without it everything comes at once. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** One page of summaries, sorted by id. */
export interface Page {
  /** Sorted by id. */
  readonly workflows: readonly WorkflowSummary[];
  /** Present when there are more. */
  readonly nextCursor?: string;
}

/**
 * Filters and pages summaries that are sorted by id. Pages stay complete when workflows are added or removed between
 * them, because a cursor names the id it stopped at and not a position.
 *
 * @throws WorkflowError INVALID_INPUT for a cursor that is not the `nextCursor` of a page
 */
function selectPage(summaries: readonly WorkflowSummary[], query: ListQuery): Page {
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const matching = summaries.filter(
    (summary) => matches(summary, query) && (after === undefined || summary.id > after),
  );
  const { limit = matching.length } = query;
  const workflows = matching.slice(0, limit);
  const last = workflows.at(-1);
  return matching.length > limit && last !== undefined
    ? { workflows, nextCursor: writeCursor(last.id) }
    : { workflows };
}

function matches(summary: WorkflowSummary, { query, category, tags }: ListQuery): boolean {
  if (category !== undefined && summary.category !== category) return false;
  if (tags !== undefined && !tags.every((tag) => summary.tags.includes(tag))) return false;
  if (query === undefined) return true;
  const wanted = query.trim().toLowerCase();
  const { id, name, description } = summary;
  return [id, name, description, ...summary.tags].some((text) => text.toLowerCase().includes(wanted));
}

function writeCursor(id: string): string {
  return `after:${id}`;
}

function readCursor(cursor: string): string {
  if (cursor.startsWith('after:')) return cursor.slice('after:'.length);
  const details = workflowMessages.wrongCursor();
  throw new WorkflowError('INVALID_INPUT', details, { data: { details } });
}
