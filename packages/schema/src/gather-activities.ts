import type { Activity } from './activity.ts';
import type { ActivityPart, ActivityWorkflowDefinition } from './activity-workflow.ts';
import type { Finding } from './issue.ts';
import { findFile, layOut } from './folder.ts';
import type { FolderContext } from './folder-reading.ts';
import { loadActivity } from './load-parts.ts';
import type { Loaded } from './load-parts.ts';

/** The activities of a workflow, in order. */
export interface Gathered {
  readonly parts: readonly ActivityPart[];
  /** Where the workflow file borrows each, by the path of the part. */
  readonly borrowedAt: ReadonlyMap<string, string>;
  /** What is wrong with the list, in the workflow file. */
  readonly findings: readonly Finding[];
  readonly absent: readonly AbsentActivity[];
}

/** An activity the workflow file lists and that is not there. */
export interface AbsentActivity {
  /** The id its file name gives it. */
  readonly id: string;
  readonly reference: string;
  /** Where the workflow file lists it. */
  readonly pointer: string;
}

/** Where activities come from. */
export interface ActivitySources {
  readonly definition: ActivityWorkflowDefinition;
  /** Path of the workflow file. */
  readonly file: string;
  readonly local: readonly Loaded<ActivityPart>[];
  readonly borrow: FolderContext['borrow'];
}

/** What an entry of the list gives. */
type Entry =
  | { readonly part: ActivityPart }
  | { readonly loaded: Loaded<ActivityPart> }
  | { readonly reason: string; readonly suggestion: string; readonly name: string };

/**
 * Puts the activities of a workflow together: files of the folder that its list leaves out, by number, then what it
 * lists, in its order: files of the folder or of another, and inline ones.
 */
export async function gatherActivities(sources: ActivitySources): Promise<Gathered> {
  const { definition, local } = sources;
  const listed = new Set<string>();
  const parts: ActivityPart[] = [];
  const borrowedAt = new Map<string, string>();
  const findings: Finding[] = [];
  const absent: AbsentActivity[] = [];
  for (const [at, entry] of (definition.activities ?? []).entries()) {
    const pointer = `/activities/${at}`;
    const found = typeof entry === 'string' ? await lookUp(entry, sources) : inline(entry, pointer, sources);
    if ('reason' in found) {
      const { reason, suggestion, name } = found;
      const reference = String(entry);
      const message = `Activity '${reference}' ${reason}`;
      findings.push({ severity: 'error', served: true, pointer, message, suggestion });
      absent.push({ id: name, reference, pointer });
    } else if ('part' in found) {
      parts.push(found.part);
      if (found.part.lender !== undefined) borrowedAt.set(found.part.file, pointer);
    } else {
      listed.add(found.loaded.file);
      if (found.loaded.part !== undefined) parts.push(found.loaded.part);
    }
  }
  const others = local.flatMap(({ file, part }) => (listed.has(file) ? [] : (part ?? [])));
  return { parts: [...others, ...parts], borrowedAt, findings, absent };
}

function inline(definition: Activity, pointer: string, { file }: ActivitySources): Entry {
  const index = String(Number(pointer.split('/').at(-1)) + 1).padStart(2, '0');
  const text = JSON.stringify(definition);
  return { part: { id: definition.id, index, file, format: 'json', text, definition, pointer } };
}

async function lookUp(entry: string, { local, borrow }: ActivitySources): Promise<Entry> {
  const path = entry.split('/').filter((part) => part !== 'activities' && part !== '.');
  const [lender = '', file = ''] = path.length === 1 ? ['', ...path] : path;
  const name = nameOf(file);
  if (path.length > 2 || file === '') {
    return { name, reason: 'is not a file of a workflow', suggestion: "Write 'workflow/activities/file'" };
  }
  if (lender !== '') return lend({ lender, file, name }, borrow);
  const loaded = findFile(local, file);
  if (loaded !== undefined) return { loaded };
  const suggestion = `Add 'activities/${file}', or correct the name`;
  return { name, reason: 'is listed and its file is not there', suggestion };
}

interface Loan {
  readonly lender: string;
  readonly file: string;
  readonly name: string;
}

async function lend({ lender, file, name }: Loan, borrow: FolderContext['borrow']): Promise<Entry> {
  const folder = await borrow?.(lender);
  if (folder === undefined) {
    const reason = `can't be borrowed: workflow '${lender}' was not found`;
    return { name, reason, suggestion: 'Correct the name, or add that workflow' };
  }
  const at = findFile(layOut(folder.keys()).activities, file);
  if (at === undefined) {
    const reason = `can't be borrowed: workflow '${lender}' has no such file`;
    return { name, reason, suggestion: 'Correct the name' };
  }
  const { part, read } = await loadActivity(folder, at);
  if (part !== undefined) return { part: { ...part, file: `${lender}/${at.file}`, lender } };
  const why = read.findings.find(({ severity }) => severity === 'error')?.message ?? '';
  const reason = `can't be borrowed: the file of workflow '${lender}' is broken. ${why}`;
  return { name, reason, suggestion: 'Correct that file' };
}

function nameOf(file: string): string {
  return file.replace(/^\d+-/, '').replace(/\.[a-z]+$/, '');
}
