// The jobs that only a worker thread runs: they read, walk or draw definitions that callers sent.
import type { JobContext as CoreContext, JobTools, JobTypes, JudgeOptions } from '@workflowlookup/core/jobs';
import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import { runJob } from '@workflowlookup/core/jobs';
import type { DryRun, DryRunOptions, Trial, TrialRequest } from '@workflowlookup/analysis';
import { dryRun, tryWorkflow } from '@workflowlookup/analysis';
import type { ActivityFile, Outline, Diagram } from '@workflowlookup/diagrams';
import { drawWorkflow, filesOfActivities, outlineOf } from '@workflowlookup/diagrams';
import type { DefinitionText, Folder, Issue, NotatedText, Position, Workflow } from '@workflowlookup/schema';
import { WorkflowError, createPositions, isJsonObject, readValue, walkSteps } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import { compileCriteria, describeCriteria, judge } from '@workflowlookup/validation';
import { jobMessages } from '../messages.ts';

/** A definition that was not saved: a step workflow, or the files of the folder of an activity workflow. */
export type DraftFiles =
  | DefinitionText
  | { readonly files: Folder; readonly id: string; readonly changed: string };

/** The result of reading a draft. */
export interface ReadDraft {
  /** Errors and warnings, in the order of the text. */
  readonly problems: readonly Issue[];
  /** Absent if the draft would not be served. */
  readonly workflow?: {
    readonly id: string;
    readonly outline: Outline;
    readonly graph: Diagram;
    readonly activityFiles: readonly ActivityFile[];
  };
}

/** The workflow of a dry run, with variables and answers. */
export interface DryRunRequest extends Pick<DryRunOptions, 'context' | 'answers'> {
  /** A workflow that is served, or one that was not saved. */
  readonly workflow: Workflow | DraftFiles;
}

/** The workflow of a trial, with what was done so far. */
export interface WorkflowTrial extends TrialRequest {
  /** A workflow that is served, or one that was not saved. */
  readonly workflow: Workflow | DraftFiles;
}

/** An output, and the criteria to try on it. */
export interface CriteriaTrial extends Omit<JudgeOptions, 'fields' | 'criteria'> {
  readonly criteria?: unknown;
  /** The criteria as JSON or YAML, in place of `criteria`; also a step with `validationCriteria` and `fields`. */
  readonly text?: string;
}

/** A verdict, and the criteria as sentences. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly sentences: readonly string[];
}

/** All jobs of a host: request and answer of each kind, both plain data. */
export interface HostJobTypes extends JobTypes {
  /** Judges an output by criteria that belong to no workflow. */
  readonly 'try-criteria': { readonly ask: CriteriaTrial; readonly answer: Judgement };
  /** Walks a workflow. */
  readonly walk: { readonly ask: DryRunRequest; readonly answer: DryRun };
  /** Follows a workflow step by step. */
  readonly trial: { readonly ask: WorkflowTrial; readonly answer: Trial };
  /** Reads a draft of a definition. */
  readonly 'read-draft': { readonly ask: DraftFiles; readonly answer: ReadDraft };
  /** Finds the position of a JSON pointer in a text. */
  readonly position: { readonly ask: NotatedText & { readonly pointer: string }; readonly answer: Position };
  /** Reads a definition that nobody trusts yet: the file of a step workflow, or the files of a folder under its id. */
  readonly review: {
    readonly ask: { readonly files: Folder; readonly id?: string };
    readonly answer: {
      readonly id?: string;
      /** Absent if the definition would not be served. */
      readonly outline?: Outline;
      readonly issuesByFile: readonly (readonly [file: string, issues: readonly Issue[]])[];
      /** The files of other workflows that it uses. */
      readonly borrowed: Folder;
    };
  };
}

/** A kind of job. */
export type JobKind = keyof HostJobTypes;

/** The request of a kind of job. */
export type JobAsk<Kind extends JobKind> = HostJobTypes[Kind]['ask'];

/** The answer of a kind of job. */
export type JobAnswer<Kind extends JobKind> = HostJobTypes[Kind]['answer'];

/** The caller a job runs for, and what the job may request while it runs. */
export interface JobContext extends CoreContext {
  /** Returns the folder of another workflow, for drafts that refer to it. */
  borrow?(workflow: string): Folder | undefined | Promise<Folder | undefined>;
}

type WorkerTools = JobTools & Pick<JobContext, 'borrow'>;

/** How long an exploration may take, including reading the workflow. */
const walkMs = 1_000;

/** Runs a job of any kind on this thread. @throws what the job throws */
export function runHostJob<Kind extends JobKind>(
  kind: Kind,
  ask: JobAsk<Kind>,
  tools: WorkerTools = {},
): Promise<JobAnswer<Kind>> {
  return work[kind](ask, tools);
}

const work: {
  readonly [Kind in JobKind]: (ask: JobAsk<Kind>, tools: WorkerTools) => Promise<JobAnswer<Kind>>;
} = {
  judge: (ask, tools) => runJob('judge', ask, tools),
  'check-text': (ask, tools) => runJob('check-text', ask, tools),
  'try-criteria': judgeOutput,
  walk,
  trial: async ({ workflow, ...request }, tools) => tryWorkflow(await toTry(workflow, tools), request),
  'read-draft': readDraft,
  position: async ({ pointer, ...source }) => (await createPositions(source))(pointer),
  review: readForReview,
};

/** Judges an output by criteria that belong to no workflow. @throws WorkflowError INVALID_CRITERIA, INVALID_WORKFLOW, TOO_COSTLY */
async function judgeOutput({ output, text, context = {}, ...given }: CriteriaTrial): Promise<Judgement> {
  const trial: TrialParts = text === undefined ? given : await readTrial(text);
  const { criteria, fields } = trial;
  const verdict = judge(await compileCriteria(criteria), output, context, undefined, fields);
  return { verdict, sentences: describeCriteria(criteria) };
}

type TrialParts = Partial<Pick<JudgeOptions, 'criteria' | 'fields'>>;

/** Reads criteria, or a step with criteria and fields. @throws WorkflowError INVALID_CRITERIA */
async function readTrial(text: string): Promise<TrialParts> {
  const { value, issues } = await readValue({ text, format: 'yaml' });
  if (value === undefined)
    throw new WorkflowError(
      'INVALID_CRITERIA',
      jobMessages.notReadable(issues[0]?.line ?? 1, issues[0]?.message ?? ''),
    );
  const isStep = isJsonObject(value) && ('validationCriteria' in value || 'fields' in value);
  if (!isStep) return { criteria: value };
  const { validationCriteria: criteria = [], fields } = value;
  if (fields === undefined) return { criteria };
  return { criteria, fields: await readFields(fields) };
}

/** Reads the fields of a step as a definition with this step would be read. @throws WorkflowError INVALID_CRITERIA */
async function readFields(fields: unknown): Promise<TrialParts['fields']> {
  const step = { id: 'step', title: 'Step', prompt: 'Step', fields };
  const definition = { id: 'trial', name: 'Trial', description: 'Trial', version: '1.0.0', steps: [step] };
  const { workflow, issues } = await readDefinition({ text: JSON.stringify(definition), format: 'json' });
  if (workflow?.kind === 'steps')
    return walkSteps(workflow.definition.steps).flatMap(({ step: read }) =>
      read.type === 'loop' ? [] : (read.fields ?? []),
    );
  // Lines, columns and edits would be those of the definition around the fields.
  const problems = issues
    .filter(({ severity }) => severity === 'error')
    .map(({ severity, code, pointer, message }) => ({
      severity,
      code,
      pointer: pointer.replace('/steps/0', ''),
      message,
    }));
  throw new WorkflowError('INVALID_CRITERIA', jobMessages.wrongFields(problems[0]?.message ?? ''), {
    data: { problems },
  });
}

async function walk({ workflow, context, answers }: DryRunRequest, tools: WorkerTools): Promise<DryRun> {
  const endMs = Date.now() + walkMs;
  return dryRun(await toTry(workflow, tools), {
    assumes: true,
    mayGoOn: () => Date.now() < endMs,
    ...(context !== undefined && { context }),
    ...(answers !== undefined && { answers }),
  });
}

/** Returns the workflow to try. @throws WorkflowError INVALID_WORKFLOW for a draft that would not be served */
async function toTry(asked: Workflow | DraftFiles, tools: WorkerTools): Promise<Workflow> {
  if ('kind' in asked) return asked;
  const { workflow, problems } = await readWorkflow(asked, tools);
  if (workflow !== undefined) return workflow;
  throw new WorkflowError('INVALID_WORKFLOW', jobMessages.noWorkflow(), {
    data: { problems },
  });
}

async function readDraft(draft: DraftFiles, tools: WorkerTools): Promise<ReadDraft> {
  const { problems, workflow } = await readWorkflow(draft, tools);
  if (workflow === undefined) return { problems };
  const [outline, graph] = [outlineOf(workflow), drawWorkflow(workflow)];
  const activityFiles = filesOfActivities(workflow);
  return { problems, workflow: { id: workflow.id, outline, graph, activityFiles } };
}

/** A draft as its source would read it. */
interface DraftWorkflow extends Pick<ReadDraft, 'problems'> {
  /** Absent if the draft would not be served. */
  readonly workflow?: Workflow;
}

async function readWorkflow(draft: DraftFiles, { borrow, allowance }: WorkerTools): Promise<DraftWorkflow> {
  if ('files' in draft) return readFolder(draft, borrow);
  const { workflow, issues: problems } = await readDefinition(draft, allowance);
  return { problems, ...(workflow && { workflow }) };
}

/** Reads a draft in a folder. A broken file that only keeps itself from being served counts as unusable too. */
async function readFolder(
  { files, id, changed }: Extract<DraftFiles, { readonly files: Folder }>,
  borrow: JobContext['borrow'],
): Promise<DraftWorkflow> {
  const { workflow, issuesByFile } = await readWorkflowFolder(files, { id, ...(borrow && { borrow }) });
  const problems = issuesByFile.get(changed) ?? [];
  if (problems.some(keepsOut)) return { problems };
  if (workflow !== undefined) return { problems, workflow };
  return { problems: [...problems, ...Array.from(issuesByFile).flatMap(elsewhere)] };
}

async function readForReview(
  { files, id: folderId }: JobAsk<'review'>,
  { borrow }: WorkerTools,
): Promise<JobAnswer<'review'>> {
  if (folderId !== undefined) {
    const read = await readWorkflowFolder(files, { id: folderId, ...(borrow && { borrow }) });
    const { id, workflow, issuesByFile, borrowed = new Map<string, string>() } = read;
    const outline = workflow && outlineOf(workflow);
    return { id, ...(outline && { outline }), issuesByFile: [...issuesByFile], borrowed };
  }
  const [[file, text] = ['', '']] = files;
  const format = file.endsWith('.json') ? 'json' : 'yaml';
  const { workflow, id, issues } = await readDefinition({ text, format });
  return {
    ...(id !== undefined && { id }),
    ...(workflow && { outline: outlineOf(workflow) }),
    issuesByFile: [[file, issues]],
    borrowed: new Map(),
  };
}

function keepsOut({ severity, served }: Issue): boolean {
  return severity === 'error' && served !== true;
}

/** Returns the errors of another file that keep the folder from being served, placed at the top of the draft. */
function elsewhere([file, issues]: readonly [string, readonly Issue[]]): readonly Issue[] {
  return issues.filter(keepsOut).map(({ edits: _edits, ...issue }) => ({
    ...issue,
    message: `${file}: ${issue.message}`,
    line: 1,
    column: 1,
  }));
}
