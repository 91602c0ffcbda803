import type { ActivityPart, ActivityWorkflowDefinition } from './activity-workflow.ts';
import type { Activity } from './activity.ts';
import type { FolderContext } from './folder-reading.ts';
import { findFile, layOut } from './folder.ts';
import type { Finding } from './issue.ts';
import { loadActivity } from './load-parts.ts';
import type { Loaded } from './load-parts.ts';

/** The activities of a workflow, in order. */
export interface Gathered {
  readonly parts: readonly ActivityPart[];
  /** Where the workflow file borrows each, by the path of the part. */
  readonly borrowedAt: ReadonlyMap<string, string>;
  readonly absent: readonly AbsentActivity[];
  /** What else is wrong with the list, in the workflow file. */
  readonly findings: readonly Finding[];
}

/** An activity the workflow file lists and that is not there. */
interface AbsentActivity {
  /** The id its file name gives it. */
  readonly id: string;
  readonly reference: string;
  /** What is said of it, at the place that lists it. */
  readonly finding: Finding;
}

/** Where activities come from. */
export interface ActivitySources {
  readonly definition: ActivityWorkflowDefinition;
  /** Path of the workflow file. */
  readonly file: string;
  readonly local: readonly Loaded<ActivityPart>[];
  readonly borrow: FolderContext['borrow'];
}

/** What an entry of the list gives: a part, a file of the folder, or the reason why neither. */
type Entry =
  | { readonly part: ActivityPart }
  | { readonly loaded: Loaded<ActivityPart> }
  | { readonly reason: string; readonly suggestion: string };

/**
 * Puts the activities of a workflow together: files of the folder that its list leaves out, by number, then what it
 * lists, in its order: files of the folder or of another, and inline ones.
 */
export async function gatherActivities(sources: ActivitySources): Promise<Gathered> {
  const { definition, local } = sources;
  const listed = new Set<Loaded<ActivityPart>>();
  const parts: ActivityPart[] = [];
  const borrowedAt = new Map<string, string>();
  const absent: AbsentActivity[] = [];
  const findings: Finding[] = [];
  for (const [at, entry] of (definition.activities ?? []).entries()) {
    const pointer = `/activities/${at}`;
    if (typeof entry !== 'string') {
      parts.push(inline(entry, { at, file: sources.file }));
      continue;
    }
    const found = await lookUp(entry, sources);
    if ('reason' in found) absent.push(absence(entry, pointer, found));
    else if ('loaded' in found ? listed.has(found.loaded) : borrowedAt.has(found.part.file)) {
      const message = `Activity '${entry}' is listed twice`;
      findings.push({
        severity: 'warning',
        code: 'repeated-item',
        pointer,
        message,
        suggestion: 'Remove one of the two',
      });
    } else if ('loaded' in found) {
      listed.add(found.loaded);
      if (found.loaded.part !== undefined) parts.push(found.loaded.part);
    } else {
      parts.push(found.part);
      borrowedAt.set(found.part.file, pointer);
    }
  }
  const unlisted = local.filter((loaded) => !listed.has(loaded)).flatMap(({ part }) => part ?? []);
  return { parts: [...unlisted, ...parts], borrowedAt, absent, findings };
}

function inline(definition: Activity, { at, file }: { at: number; file: string }): ActivityPart {
  return {
    id: definition.id,
    index: String(at + 1).padStart(2, '0'),
    file,
    format: 'json',
    text: JSON.stringify(definition),
    definition,
    pointer: `/activities/${at}`,
  };
}

function absence(
  reference: string,
  pointer: string,
  { reason, suggestion }: { readonly reason: string; readonly suggestion: string },
): AbsentActivity {
  const id = reference
    .slice(reference.lastIndexOf('/') + 1)
    .replace(/^\d+-/, '')
    .replace(/\.[a-z]+$/, '');
  const message = `Activity '${reference}' ${reason}`;
  const finding: Finding = {
    severity: 'error',
    code: 'unknown-activity',
    served: true,
    pointer,
    message,
    suggestion,
  };
  return { id, reference, finding };
}

async function lookUp(entry: string, { local, borrow }: ActivitySources): Promise<Entry> {
  const path = entry.split('/').filter((part) => part !== 'activities' && part !== '.');
  const [lender = '', file = ''] = path.length === 1 ? ['', ...path] : path;
  if (path.length > 2 || file === '') {
    return { reason: 'is not a file of a workflow', suggestion: "Write 'workflow/activities/file'" };
  }
  if (lender !== '') return lend(lender, file, borrow);
  const loaded = findFile(local, file);
  if (loaded !== undefined) return { loaded };
  return {
    reason: 'is listed, and there is no such file',
    suggestion: `Add 'activities/${file}', or correct the name`,
  };
}

async function lend(lender: string, file: string, borrow: FolderContext['borrow']): Promise<Entry> {
  const suggestion = 'Correct the name, or add what it names';
  const folder = await borrow?.(lender);
  if (folder === undefined) {
    return { reason: `can't be borrowed: workflow '${lender}' was not found`, suggestion };
  }
  const at = findFile(layOut(folder.keys()).activities, file);
  if (at === undefined) {
    return { reason: `can't be borrowed: workflow '${lender}' has no such file`, suggestion };
  }
  const { part, read } = await loadActivity(folder, at);
  if (part !== undefined) return { part: { ...part, file: `${lender}/${at.file}`, lender } };
  const why = read.findings.find(({ severity }) => severity === 'error')?.message ?? 'It is unreadable';
  return { reason: `can't be borrowed, its file is broken: ${why}`, suggestion: 'Correct that file' };
}
