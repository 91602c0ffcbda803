import { readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { DefinitionText, Issue } from '@workflowlookup/schema';
import { lendFrom } from '../lend-from.ts';
import type { DraftPlace } from './create-drafts.ts';
import type { Draft, DraftReading } from './drafts.ts';
import type { PlaceInFolder } from './place-in-folder.ts';
import { placeInFolder } from './place-in-folder.ts';

/** Reads a draft as its source would, were it saved. */
export function readDraft(
  places: readonly DraftPlace[],
  place: DraftPlace,
  { file, text }: Draft,
): Promise<DraftReading> {
  const inFolder = placeInFolder(file);
  return inFolder === undefined
    ? readSteps({ text, format: file.endsWith('.json') ? 'json' : 'yaml' })
    : readFolder(places, place, { ...inFolder, text });
}

async function readSteps(source: DefinitionText): Promise<DraftReading> {
  const { workflow, issues } = await readDefinition(source);
  return { problems: issues, ...(workflow && { workflow }) };
}

/** A file with a mistake would not keep its folder from being served, only itself: it counts as unusable too. */
async function readFolder(
  places: readonly DraftPlace[],
  { store }: DraftPlace,
  { folder: id, name, text }: PlaceInFolder & { readonly text: string },
): Promise<DraftReading> {
  const others = (await store.lend(id)) ?? new Map<string, string>();
  const files = new Map([...others, [name, text]]);
  const { workflow, issuesByFile } = await readWorkflowFolder(files, {
    id,
    borrow: (other) => lendFrom(places, other),
  });
  const problems = issuesByFile.get(name) ?? [];
  if (problems.some(keepsOut)) return { problems };
  if (workflow !== undefined) return { problems, workflow };
  return { problems: [...problems, ...Array.from(issuesByFile).flatMap(elsewhere)] };
}

function keepsOut({ severity, served }: Issue): boolean {
  return severity === 'error' && served !== true;
}

/** What keeps the folder from being served and stands in another file, as it is told where the draft is. */
function elsewhere([file, issues]: readonly [string, readonly Issue[]]): readonly Issue[] {
  return issues.filter(keepsOut).map(({ edits: _edits, ...issue }) => ({
    ...issue,
    message: `${file}: ${issue.message}`,
    line: 1,
    column: 1,
  }));
}
