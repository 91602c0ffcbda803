import type { Json } from '../json.ts';

/** The types of fields. */
export type FieldType = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'object';

/** A field inside a list or an object: its name is the key. */
export interface InnerField {
  /** Default: `text`. */
  readonly type?: FieldType;
  readonly description?: string;
  /** False if the agent may leave the field out. */
  readonly required?: boolean;
  /** For text: characters, without white space at the ends. */
  readonly min_length?: number;
  readonly max_length?: number;
  /** For number. */
  readonly min?: number;
  readonly max?: number;
  /** For choice: the values to choose from. For list: the values that an item may have. */
  readonly options?: readonly string[];
  /** For list: the type of each item, or its fields by name. Default: `text`. */
  readonly items?: 'text' | 'number' | 'boolean' | FieldMap;
  readonly min_items?: number;
  readonly max_items?: number;
  /** For object: its fields by name. */
  readonly properties?: FieldMap;
  /** A value that a message shows if the field is missing. */
  readonly example?: Json;
}

/** Fields by name: each a type, or a field without an id. */
export type FieldMap = Readonly<Record<string, FieldType | InnerField>>;

/** A field that the output of a step must have (docs/authoring.md#fields). */
export interface Field extends InnerField {
  readonly id: string;
}

/** The fields that a step asks for, and the variables that they set. */
export interface FieldsOfStep {
  readonly fields?: readonly Field[];
  /** A field by variable. */
  readonly sets?: Readonly<Record<string, string>>;
}

/** Returns the fields of a map as a list, each with its name as the id. */
export function fieldsIn(map: FieldMap): readonly Field[] {
  return Object.entries(map).map(([id, field]) =>
    typeof field === 'string' ? { id, type: field } : { ...field, id },
  );
}

/**
 * The strength of the proof of a step, from weakest to strongest. `claimed`: only the agent says so. `observed`: a
 * client saw the command run. `rerun`: the server ran the command. `ci`: a system that the agent does not control
 * confirms it.
 */
export type EvidenceLevel = 'claimed' | 'observed' | 'rerun' | 'ci';

/** The levels of evidence, the weakest first. */
export const evidenceLevels: readonly EvidenceLevel[] = ['claimed', 'observed', 'rerun', 'ci'];

/** Properties of all kinds of evidence. */
export interface EvidenceBase {
  /** Unique in its activity, or in its step of a step workflow. */
  readonly id: string;
  readonly description?: string;
  /** The lowest level that is accepted. Default `rerun`. */
  readonly level?: EvidenceLevel;
  /** `commit`: the files must equal the last commit. */
  readonly at?: 'commit';
}

/** A check of the project must pass. The project's file of checks defines its command. */
export interface CheckEvidence extends EvidenceBase {
  readonly check: string;
  /** `not-fewer`: at least as many tests must run as when the check was last accepted. */
  readonly tests?: 'not-fewer';
  /** The minimum number of tests that must run. */
  readonly min?: number;
  /** The maximum number of failed tests, and of errors in a SARIF report. Default 0. */
  readonly max_failures?: number;
  /** The minimum percentage of lines that tests must cover. */
  readonly coverage?: { readonly min: number };
  /** With `level: ci`: the GitHub check run that must have succeeded for the commit. */
  readonly github?: { readonly check: string };
}

/** The git repository must be in this state. */
export interface GitEvidence extends EvidenceBase {
  readonly git: {
    /** The files must equal the last commit. */
    readonly clean?: boolean;
    /** The last commit must be ahead of this branch or commit, and contain it. */
    readonly ahead_of?: string;
  };
}

/** Only files that match these patterns may have changed. */
export interface ChangesEvidence extends EvidenceBase {
  readonly changes: {
    readonly within: readonly string[];
    /** The branch or commit to compare with. Default: the last commit. */
    readonly since?: string;
  };
}

/** A file must exist. */
export interface FileEvidence extends EvidenceBase {
  readonly file: {
    /** Path in the working folder. */
    readonly path: string;
    readonly min_bytes?: number;
  };
}

/**
 * The evidence that a step asks for. `{{name}}` in `git`, `changes` and `file` is replaced by the variable of that
 * name (docs/evidence.md).
 */
export type Evidence = CheckEvidence | GitEvidence | ChangesEvidence | FileEvidence;

/** The kinds of evidence. */
export type EvidenceKind = 'check' | 'git' | 'changes' | 'file';

/** Returns the kind of a piece of evidence. */
export function evidenceKind(evidence: Evidence): EvidenceKind {
  if ('check' in evidence) return 'check';
  if ('git' in evidence) return 'git';
  return 'changes' in evidence ? 'changes' : 'file';
}
