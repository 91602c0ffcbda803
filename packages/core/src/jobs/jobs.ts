import type { DefinitionText, Folder, Issue, Workflow } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import type { DefinitionVerdict } from '../definition-verdict.ts';
import type { Outline } from '../outline/outline.ts';
import type { Picture } from '../picture/picture.ts';
import type { JudgeOptions, Judgement } from '../walk/judge-output.ts';
import type { Walk, WalkOptions } from '../walk/walk.ts';

/** A definition that was not saved: a step workflow, or the files of the folder of an activity workflow. */
export type DraftFiles =
  | DefinitionText
  | { readonly files: Folder; readonly id: string; readonly changed: string };

/** The result of reading a draft. */
export interface ReadDraft {
  /** Errors and warnings, in the order of the text. */
  readonly problems: readonly Issue[];
  /** Absent if the draft would not be served. */
  readonly workflow?: { readonly id: string; readonly outline: Outline; readonly graph: Picture };
}

/** What to walk, and how. */
export interface WalkAsk extends Pick<WalkOptions, 'context' | 'answers'> {
  /** A definition that is served, or the text of a step workflow in JSON or YAML. */
  readonly workflow: Workflow | string;
}

/** Work whose cost depends on what a caller sent: request and answer of each kind, both plain data. */
export interface JobTypes {
  /** Judges an output by the criteria of a served step. */
  readonly judge: { readonly ask: JudgeOptions; readonly answer: Verdict };
  /** Judges the text of a definition in JSON. */
  readonly 'check-text': { readonly ask: { readonly text: string }; readonly answer: DefinitionVerdict };
  /** Judges an output by criteria that belong to no workflow. */
  readonly 'try-criteria': { readonly ask: JudgeOptions; readonly answer: Judgement };
  /** Walks a workflow. */
  readonly walk: { readonly ask: WalkAsk; readonly answer: Walk };
  /** Reads a draft of a definition. */
  readonly 'read-draft': { readonly ask: DraftFiles; readonly answer: ReadDraft };
  /** Reads a definition that nobody trusted yet: the file of a step workflow, or the files of a folder under its id. */
  readonly review: {
    readonly ask: { readonly files: Folder; readonly id?: string };
    readonly answer: {
      readonly id?: string;
      /** Absent where it would not be served. */
      readonly outline?: Outline;
      readonly issuesByFile: readonly (readonly [file: string, issues: readonly Issue[]])[];
      /** The files of other workflows that it uses. */
      readonly borrowed: Folder;
    };
  };
}

/** A kind of job. */
export type JobKind = keyof JobTypes;

/** The request of a kind of job. */
export type JobAsk<Kind extends JobKind> = JobTypes[Kind]['ask'];

/** The answer of a kind of job. */
export type JobAnswer<Kind extends JobKind> = JobTypes[Kind]['answer'];

/** Whom a job is done for, and what it may request while it runs. */
export interface JobContext {
  /** The principal whose share of the work it counts against. */
  readonly principal: string;
  /** The folder of another workflow, for drafts that refer to it. */
  borrow?(workflow: string): Folder | undefined | Promise<Folder | undefined>;
}

/** Runs jobs so that they do not delay other callers. */
export interface Jobs {
  /** @throws what the job throws; TOO_COSTLY where it takes too long or too much memory; BUSY where the principal has too many waiting */
  run<Kind extends JobKind>(kind: Kind, ask: JobAsk<Kind>, context: JobContext): Promise<JobAnswer<Kind>>;
}
