import type { Context } from '@workflowlookup/conditions';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';

import type {
  DefinitionProblem,
  UntrustedDefinition,
  Provenance,
  WorkflowChange,
  WorkflowStore,
} from '@workflowlookup/storage';
import type { Verdict } from '@workflowlookup/validation';
import { activityLookup } from './activities/activity-lookup.ts';
import type { ListQuery, Page } from './catalogue.ts';
import { selectPage } from './catalogue.ts';
import { compileWorkflow } from './compile-workflow.ts';
import type { DefinitionVerdict } from './definition-verdict.ts';
import { explainAbsence } from './explain-absence.ts';
import { sharedWorkflowId } from './library/library.ts';
import type { Lookup, NextReply, NextRequest } from './lookup.ts';
import type { Metadata, Preview } from './overview.ts';
import type { Jobs } from './jobs/jobs.ts';
import { jobsHere } from './jobs/run-job.ts';
import { stepLookup } from './step-lookup.ts';

/** What an engine works on. */
export interface EngineOptions {
  readonly workflows: WorkflowStore;
  /** Judges outputs and definitions; by default on the thread that asks. */
  readonly jobs?: Jobs;
}

/** A page of the catalogue; problems come with the first page, and only when there are any. */
export interface Listing extends Page {
  readonly problems?: readonly DefinitionProblem[];
  /** Definitions that are not served because nobody trusted them. Only their ids may be shown to an agent. */
  readonly untrusted?: readonly UntrustedDefinition[];
}

/** An output to judge by the criteria of its step. */
export interface ValidateRequest {
  readonly workflowId: string;
  readonly stepId: string;
  readonly output: string;
  readonly context?: Context;
}

/** The product, whatever wire or screen is in front of it. Every failure is a WorkflowError. */
export interface Engine {
  /** One page of the catalogue. */
  list(query?: ListQuery): Promise<Listing>;
  /** Every workflow served, sorted by id; `meta`, which others share, is found by its id alone. */
  summaries(): Promise<readonly WorkflowSummary[]>;
  /** A workflow as it was read. @throws WORKFLOW_NOT_FOUND, INVALID_WORKFLOW, SECURITY, STORAGE */
  get(id: string): Promise<Workflow>;
  /** Which definition is served under an id, and from which source; `undefined` where the store does not say. */
  provenance(id: string): Promise<Provenance | undefined>;
  /** What a workflow tells of itself without its steps. @throws as `get` */
  metadata(id: string): Promise<Metadata>;
  /** Metadata and the first step. @throws as `get` */
  preview(id: string): Promise<Preview>;
  /** The next step. @throws as `get`; STEP_NOT_FOUND for an unknown current step; STATE for a loop without its variable */
  next(request: NextRequest): Promise<NextReply>;
  /** Judges an output. @throws as `get`; STEP_NOT_FOUND; VALIDATION for criteria that can't be used; TOO_COSTLY, BUSY */
  validate(request: ValidateRequest): Promise<Verdict>;
  /** Judges the text of a definition in JSON. @throws TOO_COSTLY, BUSY */
  validateDefinition(text: string): Promise<DefinitionVerdict>;
  /** The same engine for one of several callers: its jobs count against that caller's share. Cheap to call. */
  as(principal: string): Engine;
  /** Calls back after workflows changed; returns the way to stop it. */
  watch(listener: (change: WorkflowChange) => void): () => void;
  /** Releases the store. */
  close(): Promise<void>;
}

/** Makes an engine over a store: load, decide by pure functions, answer. */
export function createEngine({ workflows, jobs = jobsHere }: EngineOptions): Engine {
  const lookups = new WeakMap<Workflow, Lookup>();

  async function load(id: string): Promise<Workflow> {
    const workflow = await workflows.get(id);
    if (workflow === undefined) throw await explainAbsence(workflows, id);
    return workflow;
  }

  async function lookUp(id: string): Promise<Lookup> {
    return remember(lookups, await load(id), lookupOf);
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
      const { validationCriteria: criteria } = lookup.step(stepId);
      const ask = { criteria, output, context: lookup.variables(context) };
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

function remember<K extends object, V>(cache: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  cache.set(key, made);
  return made;
}
