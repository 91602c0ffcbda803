import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep, posix } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Folder } from '@workflowlookup/schema';
import { WorkflowError, maxDefinitionBytes, isWorkflowId, writeOutHidden } from '@workflowlookup/schema';
import type { DefinitionTexts, FilesStore } from '@workflowlookup/storage/files';
import { digestOfTexts } from '@workflowlookup/storage/files';
import type { HostJobs } from '../jobs/create-jobs.ts';
import type { DraftFiles, JobContext, ReadDraft } from '../jobs/run-job.ts';
import { draftMessages } from '../messages.ts';
import type { Trust } from '../trust/trust.ts';
import type { SavedVersion, SavedVersions } from './saved-versions.ts';
import type { FolderLender, Source } from './sources.ts';
import { lendFrom } from './sources.ts';

/** Matches the names of files that belong to definitions. */
const spelling = /^(?:[^./\\\0][^/\\\0]*\/){0,4}[^./\\\0][^/\\\0]*\.(?:json|ya?ml|toon|md)$/;

/**
 * The absolute path of a file of a source, which need not be there. Neither its name nor a link on the way leads out of
 * the source. @throws WorkflowError FORBIDDEN
 */
async function draftPath(directory: string, file: string): Promise<string> {
  if (file.length > 512 || !spelling.test(file) || file.split('/').includes('node_modules')) throw refusal();
  const path = join(directory, ...file.split('/'));
  const root = await realOf(directory);
  // A source that does not exist contains no links.
  if (root === undefined) return path;
  const real = await realOfNearest(path);
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) throw refusal();
  return path;
}

async function realOfNearest(path: string): Promise<string> {
  const real = await realOf(path);
  return real ?? realOfNearest(dirname(path));
}

async function realOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refusal(error);
  }
}

function refusal(cause?: unknown): WorkflowError {
  return new WorkflowError('FORBIDDEN', draftMessages.outside(), cause === undefined ? {} : { cause });
}

/** How long to retry a file that another program has locked. */
const busyMs = 1_000;

/**
 * Returns the text of a regular file, or null if there is none. Follows no link, and reads no pipe.
 * @throws WorkflowError FORBIDDEN for a link, INVALID_WORKFLOW if it can't be a definition, NOT_WRITTEN
 */
async function readDraftText(path: string, file: string): Promise<string | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > maxDefinitionBytes) throw notText(file);
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof WorkflowError) throw error;
    if (error instanceof TypeError) throw notText(file);
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP')
      throw new WorkflowError('FORBIDDEN', draftMessages.isLink(file), { data: { reason: 'link', file } });
    throw new WorkflowError('NOT_WRITTEN', draftMessages.unreadable(file, code), {
      data: { code },
      cause: error,
    });
  }
}

/**
 * Replaces a file atomically, or creates a new one. @throws WorkflowError CONFLICT if a new one exists already,
 * NOT_WRITTEN
 */
async function writeDraftText(
  path: string,
  text: string,
  { isNew, file }: { readonly isNew: boolean; readonly file: string },
): Promise<void> {
  try {
    if (isNew) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
      return;
    }
    const { writeFile: replaceFile } = await import('atomically');
    await replaceFile(path, text, { timeout: busyMs });
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new WorkflowError('CONFLICT', draftMessages.exists(file), { cause });
    throw new WorkflowError('NOT_WRITTEN', draftMessages.notWritten(file, code), { cause });
  }
}

function notText(file: string): WorkflowError {
  const data = { reason: 'not-a-text', file };
  return new WorkflowError('INVALID_WORKFLOW', draftMessages.notText(file), { data });
}

/** Names a file of a source. */
export interface DraftFile {
  /** Name of the source. */
  readonly source: string;
  /** Relative to it, `/` between the parts. */
  readonly file: string;
}

/** A text that is, or would be, a file of a source. */
export interface Draft extends DraftFile {
  readonly text: string;
}

/** A file as it is on the disk. */
export interface KeptDraft extends Draft {
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly isWritable: boolean;
}

/** What a job needs to read a draft. */
export interface DraftContent {
  readonly files: DraftFiles;
  /** Present for an activity workflow. */
  readonly borrow?: NonNullable<JobContext['borrow']>;
}

/** The new text of a file. */
export interface TextToSave extends Draft {
  /** Digest of the text that was read before; null if the file does not exist yet. */
  readonly digest: string | null;
  /** The person who saves it, who thereby trusts it. Without a person, saving trusts nothing. */
  readonly person?: string;
}

/** The destination for a copy of a definition. */
export interface DefinitionCopy {
  /** Name of the source. */
  readonly to: string;
  readonly id: string;
  /** The name of the copy, or its title for an activity workflow. Default: that of the original. */
  readonly name?: string;
  /** The person who copies it, who thereby trusts it. */
  readonly person: string;
}

/**
 * The files of the sources, served or not. Every method throws `WorkflowError`: FORBIDDEN for a path that leaves its
 * source or does not belong to a definition, RESOURCE_NOT_FOUND for a source or a file that does not exist, NOT_WRITTEN.
 * The work of reading a draft counts against the principal, by default the user of this machine.
 */
export interface Drafts {
  read(file: DraftFile): Promise<KeptDraft>;
  /**
   * Like `read`, for a user who may only read what a person has trusted. It checks the text itself, because the served
   * version may be older than the file. @throws FORBIDDEN, UNTRUSTED
   */
  readTrusted(file: DraftFile): Promise<KeptDraft>;
  /**
   * Checks a text as if it were saved. A file of an activity workflow is checked together with the other files of its
   * folder.
   */
  check(draft: Draft, principal?: string): Promise<ReadDraft>;
  /** Returns a text as if it were saved, with the other files of its folder, for a job that tries the workflow. */
  contentOf(draft: Draft): Promise<DraftContent>;
  /**
   * Saves a text atomically, and only if it would be served. Saves of the same file run one after another.
   *
   * @throws FORBIDDEN if the source is not writable, and with `data.reason` `not-scanned` for a path where no
   * definition is searched for; CONFLICT with `data.digest` and `data.text` if the file has
   * changed since it was read; INVALID_WORKFLOW with `data.problems`; TOO_COSTLY, BUSY
   */
  save(
    draft: TextToSave,
    principal?: string,
  ): Promise<{ readonly digest: string; readonly workflowId: string }>;
  /**
   * Copies a definition with all its files to another source, under another id or the same one. Nothing is written if
   * a file already exists there, or if the copy would not be served.
   *
   * @throws UNTRUSTED for a definition of a project whose current version nobody trusted, because the copy is trusted;
   * FORBIDDEN if the source is not writable; CONFLICT, INVALID_WORKFLOW, INVALID_INPUT; TOO_COSTLY, BUSY
   */
  duplicate(
    from: DraftFile,
    copy: DefinitionCopy,
    principal?: string,
  ): Promise<DraftFile & { readonly workflowId: string }>;
  /** Returns the versions of a file that `save` stored, the newest first, and its current text. */
  versions(file: DraftFile): Promise<readonly SavedVersion[]>;
  /** Returns the files of the activity workflow that contains a file: `workflow.*` first, then the others, sorted. */
  filesBeside(file: DraftFile): Promise<readonly string[]>;
}

/** The files of an activity workflow as they are now, trusted or not. */
async function folderTexts(
  { store }: { readonly store: Pick<FilesStore, 'textsOf'> },
  prefix: string,
): Promise<DefinitionTexts | undefined> {
  for (const ending of ['yaml', 'yml', 'json', 'toon']) {
    const found = await store.textsOf(`${prefix}workflow.${ending}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The place of a file in the folder of an activity workflow. */
interface PlaceInFolder {
  readonly folder: string;
  /** The prefix of the paths in it: the path of the folder and a `/`. */
  readonly prefix: string;
  readonly name: string;
}

const parts =
  /^(?<prefix>(?:.*\/)?(?<folder>[^/]+)\/)(?<name>workflow\.(?:json|ya?ml|toon)|(?:activities|skills|resources)\/[^/]+)$/;

/** Returns the place of a file in the folder of an activity workflow, or `undefined` for a step workflow. */
function placeInFolder(file: string): PlaceInFolder | undefined {
  const { prefix, folder, name } = parts.exec(file)?.groups ?? {};
  if (prefix === undefined || folder === undefined || name === undefined) return undefined;
  return { folder, prefix, name };
}

/** Returns a draft as its source would read it if it were saved. */
async function draftContent(
  places: readonly DraftPlace[],
  { store }: DraftPlace,
  { file, text }: Draft,
): Promise<DraftContent> {
  const inFolder = placeInFolder(file);
  if (inFolder === undefined) return { files: { text, format: file.endsWith('.json') ? 'json' : 'yaml' } };
  const { folder: id, name, prefix } = inFolder;
  // The store does not provide a project's folder before a person trusts it. Its author may check it anyway.
  const others =
    (await store.lend(id)) ?? (await folderTexts({ store }, prefix))?.texts ?? new Map<string, string>();
  const files = new Map([...others, [name, text]]);
  return { files: { files, id, changed: name }, borrow: (other) => lendFrom(places, other) };
}

/** How many levels of folders below a source are searched for definitions. */
const mostFolders = 3;

/**
 * Returns whether a source would find a file of this name: it is not too deep, is no test, and has no invisible
 * characters in its name. A definition saved elsewhere would never be served, without any message.
 */
function isScanned(file: string): boolean {
  if (/\.test\.[^./]+$/.test(file) || writeOutHidden(file) !== file || /[\t\n\r]/.test(file)) return false;
  const place = placeInFolder(file);
  const folders = (place?.prefix.replace(/\/$/, '') ?? file.slice(0, Math.max(0, file.lastIndexOf('/'))))
    .split('/')
    .filter((folder) => folder !== '').length;
  if (folders > mostFolders) return false;
  return place !== undefined || /\.(?:json|ya?ml)$/.test(file);
}

interface DraftPlace extends Source, FolderLender {
  readonly store: Pick<FilesStore, 'lend' | 'textsOf'>;
}

/**
 * Returns a function that runs work on one file in sequence, because the file must not change between the comparison and
 * the write.
 */
function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const turns = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    turns.set(key, ended);
    void ended.then(() => turns.get(key) === ended && turns.delete(key));
    return turn;
  };
}

/** Creates the drafts of these sources, lowest precedence first. Nothing is read before it is needed. */
export function createDrafts(
  places: readonly DraftPlace[],
  { jobs, trust, saved }: { readonly jobs: HostJobs; readonly trust: Trust; readonly saved: SavedVersions },
): Drafts {
  const inTurn = createTurns();

  function placeOf({ source }: Pick<DraftFile, 'source'>): DraftPlace {
    const place = places.find(({ name }) => name === source);
    if (place === undefined) throw new WorkflowError('RESOURCE_NOT_FOUND', draftMessages.noSource(source));
    return place;
  }

  function writablePlace(source: string): DraftPlace {
    const place = placeOf({ source });
    if (place.isWritable === true) return place;
    throw new WorkflowError('FORBIDDEN', draftMessages.readOnly(source));
  }

  async function read(wanted: DraftFile): Promise<KeptDraft> {
    const { source, file } = wanted;
    const place = placeOf(wanted);
    const text = await readDraftText(await draftPath(place.directory, file), file);
    if (text === null) throw new WorkflowError('RESOURCE_NOT_FOUND', draftMessages.noFile(source, file));
    if (!(await isOfDefinition(place, file)))
      throw new WorkflowError('FORBIDDEN', draftMessages.notOfDefinition(source, file), {
        data: { reason: 'not-a-definition', source, file },
      });
    return { source, file, text, digest: digestOf(text), isWritable: place.isWritable === true };
  }

  async function readTrusted(wanted: DraftFile): Promise<KeptDraft> {
    return placeOf(wanted).isProject === true ? (await readWhole(wanted)).kept : read(wanted);
  }

  async function readWhole(wanted: DraftFile): ReturnType<CopyParts['readWhole']> {
    const kept = await read(wanted);
    const place = placeOf(wanted);
    const inFolder = placeInFolder(wanted.file);
    const folder = inFolder && (await folderTexts(place, inFolder.prefix));
    if (place.isProject !== true) return { kept, folder };
    const now = folder ?? (await place.store.textsOf(wanted.file));
    const name = folder === undefined ? posix.basename(wanted.file) : (inFolder?.name ?? '');
    const isSame = now?.texts.get(name) === kept.text.replace(/^\uFEFF/, '');
    if (now === undefined || !isSame || !trust.admission(place).admits(now))
      throw new WorkflowError('UNTRUSTED', draftMessages.notTrusted(wanted.source, wanted.file), {
        data: { source: wanted.source, file: wanted.file },
      });
    return { kept, folder };
  }

  async function contentOf(draft: Draft): ReturnType<Drafts['contentOf']> {
    const place = placeOf(draft);
    await draftPath(place.directory, draft.file);
    return draftContent(places, place, draft);
  }

  async function check(draft: Draft, principal = 'local'): ReturnType<Drafts['check']> {
    const { files, borrow } = await contentOf(draft);
    return jobs.run('read-draft', files, { principal, ...(borrow && { borrow }) });
  }

  async function save(draft: TextToSave, principal?: string): ReturnType<Drafts['save']> {
    const { source, file, text, digest } = draft;
    const place = writablePlace(source);
    const path = await draftPath(place.directory, file);
    if (!isScanned(file))
      throw new WorkflowError('FORBIDDEN', draftMessages.notScanned(file), {
        data: { reason: 'not-scanned', file },
      });
    const now = await readDraftText(path, file);
    const found = now === null ? null : digestOf(now);
    if (found !== digest)
      throw new WorkflowError('CONFLICT', draftMessages.changed(file), {
        data: { digest: found, text: now },
      });
    const { problems, workflow } = await check(draft, principal);
    if (workflow === undefined)
      throw new WorkflowError('INVALID_WORKFLOW', draftMessages.hasErrors(file), { data: { problems } });
    const unit = draft.person === undefined ? undefined : await unitToTrust(trust, place, draft);
    const replaced =
      now === null
        ? undefined
        : { digest: digestOf(now), savedAt: (await stat(path)).mtime.toISOString(), text: now };
    await writeDraftText(path, text, { isNew: now === null, file });
    const written = { digest: digestOf(text), savedAt: new Date().toISOString(), text };
    await saved.add(path, replaced, {
      ...written,
      ...(draft.person !== undefined && { savedBy: draft.person }),
    });
    if (now === null) await untilFound(place, file);
    if (unit !== undefined && draft.person !== undefined)
      trust.trustAsSaved({ directory: place.directory, file: unit.file }, unit, {
        id: workflow.id,
        by: draft.person,
      });
    return { digest: written.digest, workflowId: workflow.id };
  }

  return {
    read,
    readTrusted,
    check,
    contentOf,
    save: (draft, principal) => inTurn(`${draft.source}/${draft.file}`, () => save(draft, principal)),
    duplicate: (from, copy, principal = 'local') =>
      inTurn(`${copy.to}/${copy.id}`, () =>
        duplicate({ places, jobs, trust, writablePlace, readWhole, save }, from, copy, principal),
      ),
    versions: async (wanted) => saved.of(await draftPath(placeOf(wanted).directory, wanted.file)),
    async filesBeside(wanted) {
      const place = placeInFolder(wanted.file);
      const folder = place && (await placeOf(wanted).store.lend(place.folder));
      if (place === undefined || folder === undefined) return [wanted.file];
      const names = [...new Set([...folder.keys(), place.name])].toSorted();
      const isMain = (name: string): boolean => name.startsWith('workflow.');
      const sorted = [...names.filter(isMain), ...names.filter((name) => !isMain(name))];
      return sorted.map((name) => place.prefix + name);
    },
  };
}

/**
 * Returns what a person trusts by saving a file: the file itself or, in a folder, all its files with the new text. A
 * folder counts only if the person trusted its other files before, because they may never have read them.
 */
async function unitToTrust(
  trust: Trust,
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

/** The parts of the drafts that copying a definition needs. */
interface CopyParts extends Pick<Drafts, 'save'> {
  readonly places: readonly DraftPlace[];
  readonly jobs: HostJobs;
  readonly trust: Trust;
  writablePlace(source: string): DraftPlace;
  /** Reads a definition as a person trusted it, with the texts of its folder if it has one. */
  readWhole(
    file: DraftFile,
  ): Promise<{ readonly kept: KeptDraft; readonly folder: DefinitionTexts | undefined }>;
}

async function duplicate(
  { places, jobs, trust, writablePlace, readWhole, save }: CopyParts,
  from: DraftFile,
  copy: DefinitionCopy,
  principal: string,
): ReturnType<Drafts['duplicate']> {
  const { to, id, person } = copy;
  const title = copy.name?.replaceAll(/\s+/g, ' ').trim();
  if (title === '')
    throw new WorkflowError('INVALID_INPUT', draftMessages.noName(), { data: { field: 'name' } });
  if (!isWorkflowId(id)) throw new WorkflowError('INVALID_INPUT', draftMessages.badId(id));
  const target = writablePlace(to);
  // The copy will be trusted, so it must be made from texts that a person has seen.
  const { kept, folder: found } = await readWhole(from);
  if (found === undefined) {
    const file = `${id}${posix.extname(from.file)}`;
    const text = withFields(kept.text, { id, name: title });
    const { workflowId } = await save({ source: to, file, text, digest: null, person }, principal);
    return { source: to, file, workflowId };
  }
  const main = posix.basename(found.file);
  const texts = new Map(
    [...found.texts].map(([file, text]) => [file, file === main ? withFields(text, { id, title }) : text]),
  );
  const paths = new Map<string, string>();
  for (const name of texts.keys()) {
    const path = await draftPath(target.directory, `${id}/${name}`);
    if ((await readDraftText(path, name)) !== null)
      throw new WorkflowError('CONFLICT', draftMessages.exists(`${id}/${name}`));
    paths.set(name, path);
  }
  const borrow = (other: string): ReturnType<typeof lendFrom> => lendFrom(places, other);
  const draft = { files: texts, id, changed: main };
  const { problems, workflow } = await jobs.run('read-draft', draft, { principal, borrow });
  const file = `${id}/${main}`;
  if (workflow === undefined)
    throw new WorkflowError('INVALID_WORKFLOW', draftMessages.hasErrors(file), { data: { problems } });
  // The workflow file comes last, because a folder without it is not read.
  for (const [name, path] of [...paths].toSorted(
    ([one], [other]) => Number(one === main) - Number(other === main),
  ))
    await writeDraftText(path, texts.get(name) ?? '', { isNew: true, file: `${id}/${name}` });
  await untilFound(target, file);
  if (target.isProject === true && !trust.isFolderTrusted(target.directory))
    trust.trustAsSaved({ directory: target.directory, file }, unitOf(file, texts), {
      id: workflow.id,
      by: person,
    });
  return { source: to, file, workflowId: workflow.id };
}

/** Returns the text of a workflow file with other values for some of its own fields. In YAML, comments and layout stay. */
function withFields(text: string, fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (text.trimStart().startsWith('{')) {
    try {
      const definition = JSON.parse(text) as object;
      return `${JSON.stringify({ ...definition, ...Object.fromEntries(given) }, null, 2)}\n`;
    } catch {
      // The check of the copy says what is wrong with it.
      return text;
    }
  }
  return given.reduce((written, [field, value]) => {
    // A long value continues in the lines below that are indented.
    const line = new RegExp(`^${field}:[^\\r\\n]*(?:\\r?\\n[ \\t]+[^\\r\\n]*)*`, 'm');
    return written.replace(line, () => `${field}: ${JSON.stringify(value)}`);
  }, text);
}

/** Whether a file is a definition of the source, or a part of an activity workflow. */
async function isOfDefinition({ store }: DraftPlace, file: string): Promise<boolean> {
  const inFolder = placeInFolder(file);
  const folder = inFolder && (await folderTexts({ store }, inFolder.prefix));
  if (folder === undefined) return (await store.textsOf(file)) !== undefined;
  return folder.texts.has(inFolder?.name ?? '');
}

const longestWaitMs = 2_000;
const pauseMs = 20;

/** Waits until a source has noticed a new file, because the person who made it opens it next. */
async function untilFound(place: DraftPlace, file: string): Promise<void> {
  const endMs = performance.now() + longestWaitMs;
  while (!(await isOfDefinition(place, file)) && performance.now() < endMs) await pause(pauseMs);
}

function unitOf(file: string, texts: Folder): DefinitionTexts {
  return { file, texts, digest: digestOfTexts(texts) };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
