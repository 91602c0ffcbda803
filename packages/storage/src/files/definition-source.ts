import { lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { DefinitionReader, Folder, FolderReader } from '@workflowlookup/schema';
import { forEachLimit } from '../pauses.ts';
import { systemCode } from '../errors.ts';
import type { Admission, DefinitionTexts, Entry } from './read-definition.ts';
import {
  digestOfTexts,
  admitWithoutText,
  untrustedEntry,
  readDefinitionFile,
  readText,
  readFolderTexts,
} from './read-definition.ts';
import type { Catalogue } from './catalogue.ts';
import { createCatalogue } from './catalogue.ts';
import {
  below,
  isActivityWorkflowName,
  isDefinitionName,
  isIgnored,
  mayAffectWorkflow,
  signatureOf,
  visibleName,
} from './paths.ts';
import type { FoundFile, Scan, ScanOptions, FoundWorkflow } from './scan-directory.ts';
import { concurrency, isSelected, scanDirectory, scanWorkflowFolder } from './scan-directory.ts';
import type { FindFolder } from './workflow-folders.ts';
import { createWorkflowFolders } from './workflow-folders.ts';

/**
 * How many definitions in files of their own are read at once. Node.js reads files in four threads, and eight are enough
 * to keep these busy while others are checked. Each takes memory until then. With 32, V8 takes 8 MB more for new objects.
 */
const readAtOnce = 8;

interface DefinitionSourceOptions extends Pick<ScanOptions, 'depth' | 'only'> {
  readonly directory: string;
  readonly read: DefinitionReader;
  /** Reads the folders of activity workflows. Without it these folders are ignored. */
  readonly readFolder?: FolderReader | undefined;
  readonly borrow?: FindFolder | undefined;
  readonly warnings?: boolean | undefined;
  readonly admission?: Admission | undefined;
}

/** The definitions of a directory, and how to bring them up to date. */
export interface DefinitionSource {
  readonly catalogue: Catalogue;
  /**
   * Compares the whole directory by names, sizes and times, and reads what differs. Returns the ids that may have
   * changed.
   */
  rescan(): Promise<readonly string[]>;
  /**
   * Reads the files at these real paths again, changed or not. Returns the ids that may have changed, or `undefined` if
   * only a rescan can find out.
   */
  refresh(paths: Iterable<string>): Promise<readonly string[] | undefined>;
  /** Reads the texts of a definition again, whether or not it is admitted. Returns `undefined` if it has no text. */
  textsOf(file: string): Promise<DefinitionTexts | undefined>;
  /** Whether the admission may have changed its answers since the definitions were read. */
  isOutdated(): boolean;
  /** Returns the result of the last rescan. */
  lastScan(): Scan | undefined;
  /** Returns the files that could not be read for a reason that may be temporary. */
  toRetry(): Iterable<string>;
  /** Returns the folders that use activities of another source which have changed there. */
  outdatedFolders(): Promise<readonly string[]>;
  /** Returns the files of an activity workflow by the name of its folder, once the first rescan has read them. */
  lend(workflow: string): Promise<Folder | undefined>;
}

/** Makes the source of a directory. It reads nothing until the first rescan. */
export function createDefinitionSource(options: DefinitionSourceOptions): DefinitionSource {
  const { directory, read, readFolder, borrow, warnings = false, only, depth, admission } = options;
  const catalogue = createCatalogue();
  const folders =
    readFolder &&
    createWorkflowFolders({ read: readFolder, borrow, warnings, limit: concurrency, admission });
  const retried = new Set<string>();
  let scan: Scan | undefined;
  let stamp: string | undefined;

  async function readAll(work: Changes): Promise<readonly Entry[]> {
    const entries = [...((await folders?.update(work.workflows, work.removed)) ?? [])];
    await forEachLimit(work.files, readAtOnce, async ([path, { file, signature }]) => {
      const outcome = await readDefinitionFile({ path, file }, { read, warnings, admission });
      entries.push({ path, file, ...outcome, signature: outcome.mayRecover ? '' : signature });
    });
    for (const path of work.removed) retried.delete(path);
    for (const entry of entries) {
      if (entry.mayRecover) retried.add(entry.path);
      else retried.delete(entry.path);
    }
    return entries;
  }

  async function rescan(): Promise<readonly string[]> {
    const asked = admission?.stamp();
    const isFirstOrChanged = asked !== stamp;
    stamp = asked;
    scan = await scanDirectory(directory, {
      activities: readFolder !== undefined,
      only,
      depth,
      within: admission?.within,
    });
    const found = scan;
    const removed = [...catalogue.paths()].filter(
      (path) => !found.files.has(path) && !found.workflows.has(path),
    );
    const files = [...found.files].filter(
      ([path, file]) => isFirstOrChanged || !isUnchanged(catalogue.entry(path), file),
    );
    const workflows = [...found.workflows.values()].filter(
      (workflow) => isFirstOrChanged || !isUnchanged(catalogue.entry(workflow.place.path), workflow),
    );
    const entries = await readAll({ files, workflows, removed });
    const touched = catalogue.apply({ removed, read: entries, ...otherProblems(found) });
    // The right to replace a workflow of another source may have changed without a change of the definition.
    return isFirstOrChanged ? [...new Set([...touched, ...entries.flatMap(({ id }) => id ?? [])])] : touched;
  }

  async function refresh(paths: Iterable<string>): Promise<readonly string[] | undefined> {
    if (scan === undefined || isOutdated()) return undefined;
    const checked = await checkPaths(scan, paths, (path) => catalogue.entry(path)?.file);
    if (checked === 'rescan') return undefined;
    return catalogue.apply({ removed: checked.removed, read: await readAll(checked) });
  }

  function isOutdated(): boolean {
    return admission !== undefined && admission.stamp() !== stamp;
  }

  /** Problems with names and links are shown only if they are admitted, because a name is text from the source too. */
  function otherProblems({
    problems,
  }: Scan): Pick<Parameters<Catalogue['apply']>[0], 'untrusted' | 'problems'> {
    if (admission === undefined) return { problems };
    const judged = problems.map((problem) => ({
      problem,
      admitted: admitWithoutText(admission, problem.file),
    }));
    return {
      problems: judged.flatMap(({ problem, admitted }) => (admitted.isAdmitted ? [problem] : [])),
      untrusted: judged.flatMap(({ problem: { file }, admitted }) =>
        admitted.isAdmitted ? [] : [untrustedEntry(file, admitted)],
      ),
    };
  }

  async function textsOf(file: string): Promise<DefinitionTexts | undefined> {
    const folder = [...(scan?.workflows.values() ?? [])].find((one) => one.file === file);
    // A file that was added since the last rescan is only in the catalogue.
    const path =
      [...(scan?.files ?? [])].find(([, one]) => one.file === file)?.[0] ??
      [...catalogue.paths()].find((one) => catalogue.entry(one)?.file === file);
    const found = folder && (await readFolderTexts([folder], concurrency)).get(folder);
    const texts =
      found === undefined ? path !== undefined && (await readSingleFile(path, file)) : found.texts;
    if (texts === undefined || texts === false || texts.size === 0) return undefined;
    const unreadable = found !== undefined && found.faults.size > 0 && { unreadable: found.faults };
    return { file, texts, digest: digestOfTexts(texts), ...unreadable };
  }

  return {
    catalogue,
    textsOf,
    isOutdated,
    rescan,
    refresh,
    lastScan: () => scan,
    toRetry: () => retried,
    outdatedFolders: async () => (await folders?.outdated()) ?? [],
    lend: async (workflow) => folders?.lend(workflow),
  };
}

async function readSingleFile(path: string, file: string): Promise<Folder | undefined> {
  const text = await readText(path, file);
  return typeof text === 'string' ? new Map([[basename(file), text]]) : undefined;
}

function isUnchanged(entry: Entry | undefined, { file, signature }: FoundFile): boolean {
  return signature !== '' && entry?.signature === signature && entry.file === file;
}

/** The definitions to read, and those that no longer exist. */
interface Changes {
  readonly files: Iterable<readonly [path: string, found: FoundFile]>;
  readonly workflows: Iterable<FoundWorkflow>;
  readonly removed: readonly string[];
}
/**
 * Checks the real paths that events named. `fileAt` returns the name of the definition that the last scan found at a
 * path.
 */
async function checkPaths(
  scan: Scan,
  paths: Iterable<string>,
  fileAt: (path: string) => string | undefined,
): Promise<Changes | 'rescan'> {
  const files = new Map<string, FoundFile>();
  const folders = new Set<string>();
  const removed: string[] = [];
  const workflows: FoundWorkflow[] = [];
  let isEnough = true;
  await forEachLimit(paths, concurrency, async (path) => {
    const workflow = workflowOf(scan, path);
    if (workflow !== undefined) folders.add(workflow);
    if (workflow !== undefined && !mayBeDefinition(scan, path)) return;
    const found = isTarget(scan, path) ? 'rescan' : await checkPath(scan, path, fileAt(path));
    if (found === 'rescan') isEnough = false;
    else if (found === 'gone') removed.push(path);
    else if (found !== 'nothing') files.set(path, found);
  });
  await forEachLimit(isEnough ? folders : [], concurrency, async (path) => {
    const found = await checkFolder(scan, path);
    if (found === 'rescan') isEnough = false;
    else workflows.push(found);
  });
  return isEnough ? { files, workflows, removed } : 'rescan';
}

/** Whether a link in the folder of an activity workflow leads to this path or to its folder. */
function isTarget({ targets }: Scan, path: string): boolean {
  return targets.has(path) || targets.has(dirname(path));
}

/** Whether a path in the folder of an activity workflow may, because of a link, also be a definition of its own. */
function mayBeDefinition(scan: Scan, path: string): boolean {
  if (scan.workflows.has(path)) return false;
  return isTarget(scan, path) || scan.files.has(path) || scan.folders.get(dirname(path))?.file !== undefined;
}

/**
 * The result of checking one path: a definition, a removed definition, nothing of interest, or a change that only a
 * full rescan can resolve.
 */
type PathCheck = FoundFile | 'gone' | 'nothing' | 'rescan';

/** Checks one real path that an event named. `known` is the name of the definition that the last scan found there. */
async function checkPath(scan: Scan, path: string, known: string | undefined): Promise<PathCheck> {
  if (known === undefined && isIgnored(basename(path))) return scan.links.size > 0 ? 'rescan' : 'nothing';
  if (visibleName(basename(path)) !== basename(path)) return 'rescan';
  try {
    const stats = await lstat(path, { bigint: true });
    if (!stats.isFile() || isActivityWorkflowName(basename(path))) return 'rescan';
    const file = known ?? newDefinition(scan, path);
    return file === undefined ? 'nothing' : { file, signature: signatureOf(stats) };
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? checkMissingPath(scan, path, known) : 'rescan';
  }
}

function checkMissingPath(scan: Scan, path: string, known: string | undefined): PathCheck {
  const name = basename(path);
  const mattered = isDefinitionName(name) || isActivityWorkflowName(name);
  if (!mattered && !scan.folders.has(path) && !scan.links.has(path)) return 'nothing';
  // A link may lead to the path, and a folder without its `workflow.*` is no longer an activity workflow.
  const isPlain = known !== undefined && scan.links.size === 0 && !isActivityWorkflowName(name);
  return isPlain ? 'gone' : 'rescan';
}

/** Returns the name of a definition that the last scan did not find, or `undefined` if its folder is ignored. */
function newDefinition(scan: Scan, path: string): string | undefined {
  const folder = scan.folders.get(dirname(path))?.file;
  const name = basename(path);
  if (folder === undefined || !isDefinitionName(name) || !isSelected(scan.options, folder, name))
    return undefined;
  return below(folder, name);
}

/** Returns the real path of the activity workflow that a changed path may belong to. */
function workflowOf(scan: Scan, path: string): string | undefined {
  if (scan.workflows.has(path)) return path;
  const workflow = scan.folders.get(dirname(path))?.workflow;
  return workflow !== undefined && mayAffectWorkflow(basename(path)) ? workflow : undefined;
}

/** Lists the folder of an activity workflow again. Returns `'rescan'` if it now depends on other folders or links. */
async function checkFolder(scan: Scan, path: string): Promise<FoundWorkflow | 'rescan'> {
  const known = scan.workflows.get(path);
  if (known === undefined || scan.root === undefined || known.links.size > 0) return 'rescan';
  const found = await scanWorkflowFolder(scan.root, known.place);
  if (found === undefined || found.links.size > 0) return 'rescan';
  return hasSameFolders(known.folders, found.folders) ? found : 'rescan';
}

function hasSameFolders(known: FoundWorkflow['folders'], found: FoundWorkflow['folders']): boolean {
  return (
    known.size === found.size &&
    [...found].every(([path, { identity }]) => known.get(path)?.identity === identity)
  );
}
