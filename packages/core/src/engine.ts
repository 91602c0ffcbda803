import type { Context } from '@workflowlookup/conditions';
import type { DefinitionReader, PromptStep, Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { didYouMean, WorkflowError } from '@workflowlookup/schema';
import type { DefinitionProblem, WorkflowChange, WorkflowStore } from '@workflowlookup/storage';
import type { CompiledCriteria, Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import type { ListQuery, Page } from './catalogue.ts';
import { selectPage } from './catalogue.ts';
import type { CompiledWorkflow } from './compile-workflow.ts';
import { compileWorkflow } from './compile-workflow.ts';
import type { DefinitionVerdict } from './definition-verdict.ts';
import { judgeReading } from './definition-verdict.ts';
import { describeStuck } from './describe-stuck.ts';
import type { Guidance, StepView } from './guidance.ts';
import { composeEnd, composeHandout } from './guidance.ts';
import type { LoopPosition, NextStep, UndecidedStep } from './next-step.ts';
import { nextStep } from './next-step.ts';
import type { Metadata, Preview } from './overview.ts';
import { metadataOf, previewOf } from './overview.ts';
import { findInstances, readProgress } from './progress.ts';
import { readDefinition } from './read-definition.ts';

/** What an engine works on. */
export interface EngineOptions {
  readonly workflows: WorkflowStore;
  /** Reads a definition an agent wrote; by default with every check, as the stores do. */
  readonly read?: DefinitionReader;
}

/** A page of the catalogue; problems come with the first page, and only when there are any. */
export interface Listing extends Page {
  readonly problems?: readonly DefinitionProblem[];
}

/** Where a caller stands in a workflow. */
export interface NextRequest {
  readonly workflowId: string;
  readonly currentStep?: string;
  readonly completedSteps: readonly string[];
  readonly context?: Context;
}

/** What to do next; `step` is null exactly when `isComplete`. */
export interface NextReply {
  readonly step: StepView | null;
  readonly guidance: Guidance;
  readonly isComplete: boolean;
  readonly loop?: LoopPosition;
  readonly warnings?: readonly string[];
  readonly undecided?: readonly UndecidedStep[];
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
  /** Every workflow served, sorted by id. */
  summaries(): Promise<readonly WorkflowSummary[]>;
  /** A workflow as it was read. @throws WORKFLOW_NOT_FOUND, INVALID_WORKFLOW, SECURITY, STORAGE */
  get(id: string): Promise<Workflow>;
  /** What a workflow tells of itself without its steps. @throws as `get` */
  metadata(id: string): Promise<Metadata>;
  /** Metadata and the first step. @throws as `get` */
  preview(id: string): Promise<Preview>;
  /** The next step. @throws as `get`; STEP_NOT_FOUND for an unknown current step; STATE for a loop without its variable */
  next(request: NextRequest): Promise<NextReply>;
  /** Judges an output. @throws as `get`; STEP_NOT_FOUND; VALIDATION for criteria that can't be used */
  validate(request: ValidateRequest): Promise<Verdict>;
  /** Judges the text of a definition in JSON. */
  validateDefinition(text: string): Promise<DefinitionVerdict>;
  /** Calls back after workflows changed; returns the way to stop it. */
  watch(listener: (change: WorkflowChange) => void): () => void;
  /** Releases the store. */
  close(): Promise<void>;
}

/** Makes an engine over a store: load, decide by pure functions, answer. */
export function createEngine({ workflows, read = readDefinition }: EngineOptions): Engine {
  const compiled = new WeakMap<Workflow, CompiledWorkflow>();
  const criteria = new WeakMap<PromptStep, Promise<CompiledCriteria>>();

  async function load(id: string): Promise<CompiledWorkflow> {
    const workflow = await workflows.get(id);
    if (workflow === undefined) throw await explainAbsence(workflows, id);
    return remember(compiled, workflow, compileWorkflow);
  }

  return {
    async list(query = {}) {
      const page = selectPage(await workflows.list(), query);
      const problems = query.cursor === undefined ? await workflows.problems() : [];
      return problems.length === 0 ? page : { ...page, problems };
    },
    summaries: () => workflows.list(),
    get: async (id) => (await load(id)).workflow,
    metadata: async (id) => metadataOf(await load(id)),
    preview: async (id) => previewOf(await load(id)),
    async next(request) {
      return answer(await load(request.workflowId), request);
    },
    async validate({ workflowId, stepId, output, context = {} }) {
      const step = findStep(await load(workflowId), stepId);
      return judge(
        await remember(criteria, step, (key) => compileCriteria(key.validationCriteria)),
        output,
        context,
      );
    },
    validateDefinition: async (text) => judgeReading(await read({ text, format: 'json' })),
    watch: (listener) => workflows.watch(listener),
    close: () => workflows.close(),
  };
}

function remember<K extends object, V>(cache: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  cache.set(key, made);
  return made;
}

/** Why an id can't be served: its file is broken, or there is none. */
async function explainAbsence(store: WorkflowStore, id: string): Promise<WorkflowError> {
  const problem = (await store.problems()).find(
    (candidate) => candidate.id === id && candidate.severity === 'error',
  );
  if (problem !== undefined) {
    const first = problem.issues[0]?.message ?? 'it could not be read';
    return new WorkflowError(problem.code, `Workflow '${id}' (${problem.file}) can't be served: ${first}`, {
      data: { workflowId: id, issues: problem.issues },
    });
  }
  const nearest = didYouMean(
    id,
    (await store.list()).map((summary) => summary.id),
  );
  const hint =
    nearest === undefined ? 'List the workflows to see which there are.' : `Did you mean '${nearest}'?`;
  return new WorkflowError('WORKFLOW_NOT_FOUND', `There is no workflow '${id}'. ${hint}`, {
    data: { workflowId: id },
  });
}

function findStep(workflow: CompiledWorkflow, stepId: string): PromptStep {
  const node = findInstances(workflow, stepId)[0]?.standing.node;
  if (node?.kind === 'step') return node.step;
  throw stepNotFound(workflow, stepId);
}

function stepNotFound({ workflow, standings }: CompiledWorkflow, stepId: string): WorkflowError {
  const nearest = didYouMean(stepId, [...standings.keys()]);
  const hint = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
  return new WorkflowError('STEP_NOT_FOUND', `Workflow '${workflow.id}' has no step '${stepId}'.${hint}`, {
    data: { stepId },
  });
}

function answer(
  compiled: CompiledWorkflow,
  { currentStep, completedSteps, context = {} }: NextRequest,
): NextReply {
  if (currentStep !== undefined && findInstances(compiled, currentStep).length === 0)
    throw stepNotFound(compiled, currentStep);
  const progress = readProgress(compiled, completedSteps);
  const next = nextStep(compiled, progress, context);
  const warnings = next.warnings.length === 0 ? {} : { warnings: next.warnings };
  switch (next.kind) {
    case 'step': {
      const handout = composeHandout(next, compiled.workflow.definition, progress.done.size === 0);
      return {
        ...handout,
        isComplete: false,
        ...(next.loop === undefined ? {} : { loop: next.loop }),
        ...warnings,
      };
    }
    case 'complete':
      return { ...endOf(next.undecided), ...warnings };
    case 'stuck':
    case 'exhausted':
      throw stuckLoop(next);
  }
}

function endOf(undecided: readonly UndecidedStep[]): NextReply {
  const guidance = { prompt: composeEnd(undecided) };
  return { step: null, guidance, isComplete: true, ...(undecided.length === 0 ? {} : { undecided }) };
}

function stuckLoop(next: Extract<NextStep, { kind: 'stuck' | 'exhausted' }>): WorkflowError {
  const variable = next.kind === 'stuck' ? { variable: next.bound.variable } : {};
  return new WorkflowError('STATE', describeStuck(next), { data: { loopId: next.loopId, ...variable } });
}
