import { posix } from 'node:path';
import type { Folder, FolderReader } from '@workflowlookup/schema';
import { byCodeUnits } from '../workflow-store.ts';
import { forEachLimit } from '../pauses.ts';
import type { Admission, Decision, Entry, FolderTexts } from './read-definition.ts';
import {
  digestOfTexts,
  admitWithoutText,
  admitTexts,
  areTemporary,
  readFolderTexts,
  readWorkflowFolder,
} from './read-definition.ts';
import type { FoundWorkflow } from './scan-directory.ts';

interface WorkflowFoldersOptions {
  readonly read: FolderReader;
  readonly borrow?: FindFolder | undefined;
  readonly warnings: boolean;
  /** How many files may be open at once. */
  readonly limit: number;
  /** Folders that it does not admit are neither read nor available to other workflows. */
  readonly admission?: Admission | undefined;
}

/** The activity workflows of one source: their texts, and which workflows use activities of others. */
interface WorkflowFolders {
  /** Reads these folders and the folders that use their activities. Returns the results. Never throws. */
  update(changed: Iterable<FoundWorkflow>, removed: Iterable<string>): Promise<readonly Entry[]>;
  /** Returns the files of a folder by its name. Waits until the folders are read but not until they are parsed. */
  lend(workflow: string): Promise<Folder | undefined>;
  /** Returns the real paths of the folders that use activities of another source which have changed. */
  outdated(): Promise<readonly string[]>;
}

interface Member extends FolderTexts {
  readonly found: FoundWorkflow;
  /** By the name of the folder that the activities come from. */
  readonly borrowed: ReadonlyMap<string, BorrowedFolder>;
  readonly admitted?: Decision;
}

/** Makes workflow folders without any folder in them. */
export function createWorkflowFolders(options: WorkflowFoldersOptions): WorkflowFolders {
  const members = new Map<string, Member>();
  const finder = createFolderFinder((workflow) => byName.get(workflow), options.borrow);
  let byName: ReadonlyMap<string, Folder> = new Map();
  let setRead: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => (setRead = resolve));

  async function readTexts(changed: Iterable<FoundWorkflow>): Promise<Set<string>> {
    const taken = new Set<string>();
    for (const [found, next] of await readFolderTexts(changed, options.limit)) {
      const { path } = found.place;
      members.set(path, memberOf(found, reuseTexts(members.get(path), next)));
      taken.add(path);
    }
    byName = nameFolders(members.values());
    setRead();
    return taken;
  }

  function memberOf(found: FoundWorkflow, texts: FolderTexts): Member {
    const { admission } = options;
    const member = { ...texts, found, borrowed: new Map() };
    if (admission === undefined) return member;
    // A person trusts texts. An unreadable file could be replaced by another one, so no digest covers it.
    const isReadable = texts.refusal === undefined && texts.texts.size > 0 && texts.faults.size === 0;
    const admitted = isReadable
      ? admitTexts(admission, found.file, texts.texts)
      : admitWithoutText(admission, found.file);
    // The texts were read only to compute a digest. Those of a definition that is not admitted must not be used by
    // others.
    return { ...member, admitted, ...(!admitted.isAdmitted && { texts: new Map() }) };
  }

  async function parse(member: Member): Promise<Entry> {
    const { found, admitted } = member;
    const kept = { path: found.place.path, file: found.file, ...(admitted && { admitted }) };
    if (admitted?.isAdmitted === false) {
      const mayRecover = areTemporary([...member.faults.values()]);
      return { ...kept, mayRecover, signature: mayRecover ? '' : found.signature };
    }
    const borrowedFolders = new Map<string, BorrowedFolder>();
    const outcome = await readWorkflowFolder({
      ...member,
      ...options,
      mustBeValid: admitted !== undefined && options.admission?.admits({ file: found.file }) === false,
      async borrow(workflow) {
        const folder = borrowedFolders.get(workflow) ?? (await finder.ask(workflow));
        borrowedFolders.set(workflow, folder);
        return folder.own ?? folder.elsewhere;
      },
    });
    members.set(found.place.path, { ...member, borrowed: borrowedFolders });
    const { mayRecover } = outcome;
    const signature = mayRecover ? '' : found.signature;
    if (
      admitted !== undefined &&
      outcome.workflow !== undefined &&
      !admitsWithBorrowed(found, admitted, outcome.borrowed)
    )
      return { ...kept, admitted: { ...admitted, isAdmitted: false }, mayRecover, signature };
    const { borrowed: _borrowed, ...rest } = outcome;
    return { ...kept, ...rest, signature };
  }

  /** Activities of other workflows are served as a part of this one, so they are trusted together with it. */
  function admitsWithBorrowed(
    { file }: FoundWorkflow,
    { digest }: Decision,
    borrowed: Folder = new Map(),
  ): boolean {
    const asked = { file, borrowed: digestOfTexts(borrowed), ...(digest !== undefined && { digest }) };
    return options.admission?.admits(asked) !== false;
  }

  function isOutdated({ borrowed }: Member): boolean {
    return [...borrowed].some(([workflow, { own }]) => byName.get(workflow) !== own);
  }

  return {
    async lend(workflow) {
      await isRead;
      return byName.get(workflow);
    },
    async update(changed, removed) {
      for (const path of removed) members.delete(path);
      const outdated = await readTexts(changed);
      for (const [path, member] of members) if (isOutdated(member)) outdated.add(path);
      const entries: Entry[] = [];
      await forEachLimit(outdated, options.limit, async (path) => {
        const member = members.get(path);
        if (member !== undefined) entries.push(await parse(member));
      });
      return entries;
    },
    async outdated() {
      const changed = await finder.changedElsewhere([...members.values()].map(({ borrowed }) => borrowed));
      const isOutdatedElsewhere = ({ borrowed }: Member): boolean =>
        [...borrowed].some(([workflow, { own }]) => own === undefined && changed.has(workflow));
      return [...members].flatMap(([path, member]) => (isOutdatedElsewhere(member) ? [path] : []));
    },
  };
}

/** Keeps the same object while the texts are the same, so that caches and users of it stay valid. */
function reuseTexts(known: FolderTexts | undefined, next: FolderTexts): FolderTexts {
  const texts = known?.texts;
  const isSame =
    texts?.size === next.texts.size && [...next.texts].every(([name, text]) => texts.get(name) === text);
  return isSame && texts !== undefined ? { ...next, texts } : next;
}

/** Of several folders with one name, the one with the first path in the source is used. */
function nameFolders(members: Iterable<Member>): ReadonlyMap<string, Folder> {
  const usable = [...members].filter(({ admitted }) => admitted?.isAdmitted !== false);
  const sorted = usable.toSorted((a, b) => byCodeUnits(b.found.place.file, a.found.place.file));
  return new Map(sorted.map(({ found, texts }) => [posix.basename(found.place.file), texts]));
}

/**
 * Returns the folder of an activity workflow in another source, by its name. It must return the same object while
 * nothing in the folder has changed: a new object causes every workflow that uses it to be read again.
 */
export type FindFolder = (workflow: string) => Promise<Folder | undefined>;

/** The result of looking for a folder: it was found in the source itself, or elsewhere. */
interface BorrowedFolder {
  readonly own: Folder | undefined;
  readonly elsewhere: Folder | undefined;
}

/** Creates a finder of the folders from which workflows take activities. It searches its own source first. */
function createFolderFinder(
  ownFolder: (workflow: string) => Folder | undefined,
  borrow: FindFolder | undefined,
) {
  async function elsewhere(workflow: string): Promise<Folder | undefined> {
    try {
      return await borrow?.(workflow);
    } catch {
      // If another source fails, its folder counts as missing for now. It is asked again soon.
      return undefined;
    }
  }

  return {
    async ask(workflow: string): Promise<BorrowedFolder> {
      const own = ownFolder(workflow);
      return { own, elsewhere: own === undefined ? await elsewhere(workflow) : undefined };
    },
    /** Returns the names of folders in other sources that have changed since they were used. */
    async changedElsewhere(
      borrowedFolders: Iterable<ReadonlyMap<string, BorrowedFolder>>,
    ): Promise<ReadonlySet<string>> {
      const now = new Map<string, Folder | undefined>();
      const changed = new Set<string>();
      const wanted = borrow === undefined ? [] : [...borrowedFolders].flatMap((each) => [...each]);
      for (const [workflow, folder] of wanted.filter(([, { own }]) => own === undefined)) {
        if (!now.has(workflow)) now.set(workflow, await elsewhere(workflow));
        if (now.get(workflow) !== folder.elsewhere) changed.add(workflow);
      }
      return changed;
    },
  };
}
