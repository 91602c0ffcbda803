import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Jobs } from '@workflowlookup/core';
import type { Folder } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { DefinitionTexts, FilesStore } from '@workflowlookup/storage/files';
import { digestOfTexts } from '@workflowlookup/storage/files';
import type { Source } from '../sources.ts';
import { draftPath } from './draft-path.ts';
import { readDraftText, writeDraftText } from './draft-text.ts';
import type { Draft, DraftFile, Drafts, KeptDraft, TextToSave } from './drafts.ts';
import type { Lender } from '../lend-from.ts';
import type { Trust } from '../trust/trust.ts';
import { isScanned } from './is-scanned.ts';
import { placeInFolder } from './place-in-folder.ts';
import { folderTexts } from './folder-texts.ts';
import { readDraft } from './read-draft.ts';

/** A source, and who serves it. */
export interface DraftPlace extends Source, Lender {
  readonly store: Pick<FilesStore, 'lend' | 'textsOf'>;
}

/** Makes the drafts of these sources, lowest precedence first. Nothing is read before it is asked for. */
export function createDrafts(
  places: readonly DraftPlace[],
  { jobs, trust }: { readonly jobs: Jobs; readonly trust: Trust },
): Drafts {
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
    if (!(await isOfDefinition(place, file))) throw notOfDefinition(wanted);
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
    if (!isScanned(file)) throw notScanned(file);
    const now = await readDraftText(path, file);
    const found = now === null ? null : digestOf(now);
    if (found !== digest) throw changed(file, { digest: found, text: now });
    const { problems, workflow } = await check(draft, principal);
    if (workflow === undefined)
      throw new WorkflowError('INVALID_WORKFLOW', `'${file}' would not be served.`, { data: { problems } });
    const unit = draft.person === undefined ? undefined : await unitToTrust(place, draft);
    await writeDraftText(path, text, { isNew: now === null, file });
    if (unit !== undefined && draft.person !== undefined)
      trust.trustAsSaved({ directory: place.directory, file: unit.file }, unit, {
        id: workflow.id,
        by: draft.person,
      });
    return { digest: digestOf(text), workflowId: workflow.id };
  }

  /**
   * What a person trusts by saving a file: the file, or the folder it is in with the new text, where they trusted the
   * other files of that folder before. Those they did not save they may never have read.
   */
  async function unitToTrust(
    place: DraftPlace,
    { file, text }: TextToSave,
  ): Promise<DefinitionTexts | undefined> {
    if (place.isProject !== true || trust.isFolderTrusted(place.directory)) return undefined;
    const inFolder = placeInFolder(file);
    if (inFolder === undefined) return unitOf(file, new Map([[posix.basename(file), text]]));
    const now = await folderTexts(place, inFolder.prefix);
    if (now === undefined) return unitOf(file, new Map([[inFolder.name, text]]));
    const isTrusted = trust.admission(place).admits(now);
    return isTrusted ? unitOf(now.file, new Map([...now.texts, [inFolder.name, text]])) : undefined;
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

/** Whether a file is a definition of the source, or a part of an activity workflow. */
async function isOfDefinition({ store }: DraftPlace, file: string): Promise<boolean> {
  const inFolder = placeInFolder(file);
  const folder = inFolder && (await folderTexts({ store }, inFolder.prefix));
  if (folder === undefined) return (await store.textsOf(file)) !== undefined;
  return folder.texts.has(inFolder?.name ?? '');
}

function unitOf(file: string, texts: Folder): DefinitionTexts {
  return { file, texts, digest: digestOfTexts(texts) };
}

function notOfDefinition({ source, file }: DraftFile): WorkflowError {
  const message = `'${file}' is not part of a definition in the source '${source}', so its text is not shown. The page of a workflow lists its files.`;
  return new WorkflowError('FORBIDDEN', message, { data: { reason: 'not-a-definition', source, file } });
}

function notScanned(file: string): WorkflowError {
  const message = `'${file}' would never be served: definitions are .json or .yaml files, or the parts of an activity workflow, at most 3 folders deep, with names in which every character can be seen, and files that end in .test.yaml hold tests. Save it under another path.`;
  return new WorkflowError('FORBIDDEN', message, { data: { reason: 'not-scanned', file } });
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
