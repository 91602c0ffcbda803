import { createHash } from 'node:crypto';
import type { Jobs } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { Source } from '../sources.ts';
import { draftPath } from './draft-path.ts';
import { readDraftText, writeDraftText } from './draft-text.ts';
import type { Draft, DraftFile, Drafts, KeptDraft, TextToSave } from './drafts.ts';
import type { Lender } from '../lend-from.ts';
import { placeInFolder } from './place-in-folder.ts';
import { readDraft } from './read-draft.ts';

/** A source, and who serves it. */
export interface DraftPlace extends Source, Lender {}

/** Makes the drafts of these sources, lowest precedence first. Nothing is read before it is asked for. */
export function createDrafts(places: readonly DraftPlace[], jobs: Jobs): Drafts {
  const turns = new Map<string, Promise<unknown>>();

  function placeOf({ source }: DraftFile): DraftPlace {
    const place = places.find(({ name }) => name === source);
    if (place === undefined) throw new WorkflowError('RESOURCE_NOT_FOUND', `There is no source '${source}'.`);
    return place;
  }

  async function read(wanted: DraftFile): Promise<KeptDraft> {
    const { source, file } = wanted;
    const place = placeOf(wanted);
    const text = await readDraftText(await draftPath(place.directory, file), file);
    if (text === null)
      throw new WorkflowError('RESOURCE_NOT_FOUND', `The source '${source}' has no file '${file}'.`);
    return { source, file, text, digest: digestOf(text), isWritable: place.isWritable === true };
  }

  async function check(draft: Draft, principal = 'local'): ReturnType<Drafts['check']> {
    const place = placeOf(draft);
    await draftPath(place.directory, draft.file);
    return readDraft(places, place, draft, { jobs, principal });
  }

  async function save(draft: TextToSave, principal?: string): ReturnType<Drafts['save']> {
    const { source, file, text, digest } = draft;
    const place = placeOf(draft);
    if (place.isWritable !== true)
      throw new WorkflowError('FORBIDDEN', `The source '${source}' may not be saved to.`);
    const path = await draftPath(place.directory, file);
    const now = await readDraftText(path, file);
    const found = now === null ? null : digestOf(now);
    if (found !== digest) throw changed(file, { digest: found, text: now });
    const { problems, workflow } = await check(draft, principal);
    if (workflow === undefined)
      throw new WorkflowError('INVALID_WORKFLOW', `'${file}' would not be served.`, { data: { problems } });
    await writeDraftText(path, text, { isNew: now === null, file });
    return { digest: digestOf(text), workflowId: workflow.id };
  }

  /** One after the other: what one compares with must not change before it writes. */
  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    turns.set(key, ended);
    void ended.then(() => turns.get(key) === ended && turns.delete(key));
    return turn;
  }

  return {
    read,
    check,
    save: (draft, principal) => inTurn(`${draft.source}/${draft.file}`, () => save(draft, principal)),
    async filesBeside(wanted) {
      const place = placeInFolder(wanted.file);
      const folder = place && (await placeOf(wanted).store.lend(place.folder));
      if (place === undefined || folder === undefined) return [wanted.file];
      const others = [...folder.keys()].filter((name) => name !== place.name).toSorted();
      return [place.name, ...others].map((name) => place.prefix + name);
    },
  };
}

function changed(
  file: string,
  now: { readonly digest: string | null; readonly text: string | null },
): WorkflowError {
  const message = `'${file}' is not the file that was read: somebody else changed it. Nothing was written.`;
  return new WorkflowError('STATE', message, { data: now });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
