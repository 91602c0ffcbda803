import { posix } from 'node:path';
import type { Folder, FolderReader } from '@workflowlookup/schema';
import { byCodeUnits } from '../by-code-units.ts';
import { forEachLimit } from '../for-each-limit.ts';
import type { Admission, Admitted } from './admission.ts';
import { digestOfTexts, judgeFault, judgeTexts } from './admission.ts';
import type { Entry } from './entry.ts';
import type { FolderTexts } from './read-folder-texts.ts';
import type { BorrowFolder, Loan } from './lender.ts';
import { createLender } from './lender.ts';
import { readFolderTexts } from './read-folder-texts.ts';
import { isUnsettled, readWorkflowFolder } from './read-workflow-folder.ts';
import type { FoundWorkflow } from './scan-workflow-folder.ts';

/** Who reads folders, and where else they may borrow. */
export interface WorkflowFoldersOptions {
  readonly read: FolderReader;
  readonly borrow?: BorrowFolder | undefined;
  /** Whether warnings are told of too. */
  readonly warnings: boolean;
  /** Files that may be open at once. */
  readonly limit: number;
  /** What it does not admit is neither read nor lent. */
  readonly admission?: Admission | undefined;
}

/** The activity workflows of one source: their texts, and who borrowed what from whom. */
export interface WorkflowFolders {
  /** Reads folders and those that borrowed from what has changed; returns what became of them. Never throws. */
  update(changed: Iterable<FoundWorkflow>, removed: Iterable<string>): Promise<readonly Entry[]>;
  /** The files of a folder, by its name; waits until folders were read, not until they were understood. */
  lend(workflow: string): Promise<Folder | undefined>;
  /** Real paths of folders that borrowed elsewhere what is not what it was. */
  overdue(): Promise<readonly string[]>;
}

interface Member extends FolderTexts {
  readonly found: FoundWorkflow;
  /** By name of the lender. */
  readonly loans: ReadonlyMap<string, Loan>;
  readonly admitted?: Admitted;
}

/** Makes folders of which none was read. */
export function createWorkflowFolders(options: WorkflowFoldersOptions): WorkflowFolders {
  const members = new Map<string, Member>();
  const lender = createLender((workflow) => byName.get(workflow), options.borrow);
  let byName: ReadonlyMap<string, Folder> = new Map();
  let setRead: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => (setRead = resolve));

  async function take(changed: Iterable<FoundWorkflow>): Promise<Set<string>> {
    const taken = new Set<string>();
    for (const [found, next] of await readFolderTexts(changed, options.limit)) {
      const { path } = found.place;
      members.set(path, memberOf(found, keepTexts(members.get(path), next)));
      taken.add(path);
    }
    byName = nameFolders(members.values());
    setRead();
    return taken;
  }

  function memberOf(found: FoundWorkflow, texts: FolderTexts): Member {
    const { admission } = options;
    const member = { ...texts, found, loans: new Map() };
    if (admission === undefined) return member;
    // A person trusts texts. An unreadable file could stand in for another one, so no digest covers it.
    const isReadable = texts.refusal === undefined && texts.texts.size > 0 && texts.faults.size === 0;
    const admitted = isReadable
      ? judgeTexts(admission, found.file, texts.texts)
      : judgeFault(admission, found.file);
    // The texts are read only to compute a digest: a definition that is not admitted is not kept and can't be lent.
    return { ...member, admitted, ...(!admitted.isAdmitted && { texts: new Map() }) };
  }

  async function interpret(member: Member): Promise<Entry> {
    const { found, admitted } = member;
    const kept = { path: found.place.path, file: found.file, ...(admitted && { admitted }) };
    if (admitted?.isAdmitted === false) {
      const unsettled = isUnsettled([...member.faults.values()]);
      return { ...kept, unsettled, signature: unsettled ? '' : found.signature };
    }
    const loans = new Map<string, Loan>();
    const outcome = await readWorkflowFolder({
      ...member,
      ...options,
      whole: admitted !== undefined && options.admission?.admits({ file: found.file }) === false,
      async borrow(workflow) {
        const loan = loans.get(workflow) ?? (await lender.ask(workflow));
        loans.set(workflow, loan);
        return loan.own ?? loan.elsewhere;
      },
    });
    members.set(found.place.path, { ...member, loans });
    const signature = outcome.unsettled ? '' : found.signature;
    if (
      admitted !== undefined &&
      outcome.workflow !== undefined &&
      !admitsBorrowed(found, admitted, outcome.borrowed)
    )
      return {
        ...kept,
        admitted: { ...admitted, isAdmitted: false },
        unsettled: outcome.unsettled,
        signature,
      };
    const { borrowed: _borrowed, ...rest } = outcome;
    return { ...kept, ...rest, signature };
  }

  /** What it borrows is served as a part of it, and is trusted together with it. */
  function admitsBorrowed(
    { file }: FoundWorkflow,
    { digest }: Admitted,
    borrowed: Folder = new Map(),
  ): boolean {
    const asked = { file, borrowed: digestOfTexts(borrowed), ...(digest !== undefined && { digest }) };
    return options.admission?.admits(asked) !== false;
  }

  function isOutdated({ loans }: Member): boolean {
    return [...loans].some(([workflow, { own }]) => byName.get(workflow) !== own);
  }

  return {
    async lend(workflow) {
      await isRead;
      return byName.get(workflow);
    },
    async update(changed, removed) {
      for (const path of removed) members.delete(path);
      const due = await take(changed);
      for (const [path, member] of members) if (isOutdated(member)) due.add(path);
      const entries: Entry[] = [];
      await forEachLimit(due, options.limit, async (path) => {
        const member = members.get(path);
        if (member !== undefined) entries.push(await interpret(member));
      });
      return entries;
    },
    async overdue() {
      const changed = await lender.changedElsewhere([...members.values()].map(({ loans }) => loans));
      const isOverdue = ({ loans }: Member): boolean =>
        [...loans].some(([workflow, { own }]) => own === undefined && changed.has(workflow));
      return [...members].flatMap(([path, member]) => (isOverdue(member) ? [path] : []));
    },
  };
}

/** Texts that are what they were stay the same object: what others keep beside it, and what they borrowed, stays good. */
function keepTexts(known: FolderTexts | undefined, next: FolderTexts): FolderTexts {
  const texts = known?.texts;
  const isSame =
    texts?.size === next.texts.size && [...next.texts].every(([name, text]) => texts.get(name) === text);
  return isSame && texts !== undefined ? { ...next, texts } : next;
}

/** Of several folders with one name the first lends, by its path in the source. */
function nameFolders(members: Iterable<Member>): ReadonlyMap<string, Folder> {
  const lenders = [...members].filter(({ admitted }) => admitted?.isAdmitted !== false);
  const sorted = lenders.toSorted((a, b) => byCodeUnits(b.found.place.file, a.found.place.file));
  return new Map(sorted.map(({ found, texts }) => [posix.basename(found.place.file), texts]));
}
