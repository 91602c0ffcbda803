import type { Folder, Issue, Meter, Workflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { CompiledCriteria, Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import { judgeReading } from '../definition-verdict.ts';
import { outlineOf } from '../outline/outline.ts';
import { graphOf } from '../picture/graph-of.ts';
import { readDefinition } from '../read-definition.ts';
import { readWorkflowFolder } from '../read-folder.ts';
import type { JudgeOptions } from '../walk/judge-output.ts';
import { judgeOutput } from '../walk/judge-output.ts';
import type { Walk } from '../walk/walk.ts';
import { walkThrough } from '../walk/walk-through.ts';
import type { DraftFiles, JobAnswer, JobAsk, JobContext, JobKind, Jobs, ReadDraft, WalkAsk } from './jobs.ts';

/** How long a walk may take, including reading the workflow. */
const walkMs = 500;

/** What a job works with. */
export interface JobTools extends Pick<JobContext, 'borrow'> {
  /** What the job may take on this thread; without it, whatever the job itself may take. */
  readonly allowance?: Meter;
}

/**
 * Runs a job on this thread. The answer is the same on every thread.
 *
 * @throws what the job throws; `TooLongHere` where the allowance is short and runs out
 */
export function runJob<Kind extends JobKind>(
  kind: Kind,
  ask: JobAsk<Kind>,
  tools: JobTools = {},
): Promise<JobAnswer<Kind>> {
  return work[kind](ask, tools);
}

/** Runs every job on the thread that asks for it. */
export const jobsHere: Jobs = { run: (kind, ask, { borrow }) => runJob(kind, ask, borrow ? { borrow } : {}) };

const work: {
  readonly [Kind in JobKind]: (ask: JobAsk<Kind>, tools: JobTools) => Promise<JobAnswer<Kind>>;
} = {
  judge: judgeServed,
  'check-text': async ({ text }, { allowance }) =>
    judgeReading(await readDefinition({ text, format: 'json' }, allowance)),
  'try-criteria': (ask) => judgeOutput(ask),
  walk,
  'read-draft': readDraft,
  review: readForReview,
};

const compiled = new WeakMap<object, CompiledCriteria | WorkflowError>();

/** Criteria that are an object are compiled once, as long as they are the same object. */
async function judgeServed(
  { criteria, output, context = {} }: JudgeOptions,
  { allowance }: JobTools,
): Promise<Verdict> {
  const ready = await readyFor(criteria, allowance);
  if (ready instanceof WorkflowError) throw ready;
  return judge(ready, output, context, allowance);
}

async function readyFor(
  criteria: unknown,
  allowance: Meter | undefined,
): Promise<CompiledCriteria | WorkflowError> {
  if (typeof criteria !== 'object' || criteria === null) return compileCriteria(criteria, allowance);
  const known = compiled.get(criteria) ?? (await compileCriteria(criteria, allowance).catch(unusable));
  compiled.set(criteria, known);
  return known;
}

function unusable(error: unknown): WorkflowError {
  if (error instanceof WorkflowError) return error;
  throw error;
}

async function walk({ workflow: asked, context, answers }: WalkAsk): Promise<Walk> {
  const endMs = Date.now() + walkMs;
  const workflow = typeof asked === 'string' ? await readText(asked) : asked;
  return walkThrough(workflow, {
    mayGoOn: () => Date.now() < endMs,
    ...(context !== undefined && { context }),
    ...(answers !== undefined && { answers }),
  });
}

async function readText(text: string): Promise<Workflow> {
  const format = text.trimStart().startsWith('{') ? 'json' : 'yaml';
  const { workflow, issues: problems } = await readDefinition({ text, format });
  if (workflow !== undefined) return workflow;
  throw new WorkflowError('INVALID_WORKFLOW', 'The text is not a workflow that can be walked.', {
    data: { problems },
  });
}

async function readDraft(draft: DraftFiles, { borrow, allowance }: JobTools): Promise<ReadDraft> {
  if ('files' in draft) return readFolder(draft, borrow);
  const { workflow, issues: problems } = await readDefinition(draft, allowance);
  return { problems, ...(workflow && { workflow: shown(workflow) }) };
}

/** A file with a mistake would not keep its folder from being served, only itself: it counts as unusable too. */
async function readFolder(
  { files, id, changed }: Extract<DraftFiles, { readonly files: Folder }>,
  borrow: JobContext['borrow'],
): Promise<ReadDraft> {
  const { workflow, issuesByFile } = await readWorkflowFolder(files, { id, ...(borrow && { borrow }) });
  const problems = issuesByFile.get(changed) ?? [];
  if (problems.some(keepsOut)) return { problems };
  if (workflow !== undefined) return { problems, workflow: shown(workflow) };
  return { problems: [...problems, ...Array.from(issuesByFile).flatMap(elsewhere)] };
}

async function readForReview(
  { files, id: folderId }: JobAsk<'review'>,
  { borrow }: JobTools,
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

function shown(workflow: Workflow): NonNullable<ReadDraft['workflow']> {
  return { id: workflow.id, outline: outlineOf(workflow), graph: graphOf(workflow) };
}

function keepsOut({ severity, served }: Issue): boolean {
  return severity === 'error' && served !== true;
}

/** Errors in other files that keep the folder from being served, as they are shown with the draft. */
function elsewhere([file, issues]: readonly [string, readonly Issue[]]): readonly Issue[] {
  return issues.filter(keepsOut).map(({ edits: _edits, ...issue }) => ({
    ...issue,
    message: `${file}: ${issue.message}`,
    line: 1,
    column: 1,
  }));
}
