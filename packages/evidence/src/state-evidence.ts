import type { BigIntStats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { EvidenceResult } from '@workflowlookup/core/sessions';
import type { ChangesEvidence, FileEvidence, GitEvidence } from '@workflowlookup/schema';
import { checkReasons, listed, stateReasons } from './messages.ts';
import { pathsOutside } from './path-patterns.ts';
import { differingFiles, filesOfCommit, isAncestor } from './tree/git-files.ts';
import type { Repository } from './tree/repository.ts';
import type { TreeState } from './tree/tree-state.ts';
import { digestOfContent, textOfPath } from './tree/tree-state.ts';

/** The result of a check of the state of files. */
export interface Judged {
  readonly reasons: readonly string[];
  /** The commit that the current one was compared with. It is recorded because an agent can move a branch. */
  readonly base?: string;
  /** The paths and the file that were checked. An agent may have chosen them with the variables that it set. */
  readonly paths?: NonNullable<EvidenceResult['paths']>;
  readonly file?: NonNullable<EvidenceResult['file']>;
}

/** Returns why files do not equal the last commit. */
export function uncommittedIn({ isClean, changed, hasNew }: TreeState): readonly string[] {
  return isClean ? [] : [checkReasons.notCommitted(listed(changed), hasNew)];
}

/** Returns why a repository is not in the state that a step asks for. */
export async function judgeGit(
  { git: { clean, ahead_of: ref } }: GitEvidence,
  { repository, state }: { readonly repository: Repository; readonly state: TreeState },
): Promise<Judged> {
  const dirty = clean === true ? uncommittedIn(state) : [];
  if (ref === undefined) return { reasons: dirty };
  const { reasons, ...found } = await judgeAhead(ref, repository, state);
  return { reasons: [...dirty, ...reasons], ...found };
}

async function judgeAhead(ref: string, repository: Repository, { commit }: TreeState): Promise<Judged> {
  const base = await repository.commitOf(ref);
  if (base === undefined) return { reasons: [stateReasons.unknownRef(ref)] };
  if (base === commit) return { reasons: [stateReasons.notAhead(ref)], base };
  const isBased = await isAncestor(repository, base, commit);
  return { reasons: isBased ? [] : [stateReasons.notBased(ref)], base };
}

/** Returns why the changes since a commit are not those that a step allows. */
export async function judgeChanges(
  { changes: { within, since = 'HEAD' } }: ChangesEvidence,
  { repository, state }: { readonly repository: Repository; readonly state: TreeState },
): Promise<Judged> {
  const base = await repository.commitOf(since);
  const paths = listed(within);
  if (base === undefined) return { reasons: [stateReasons.unknownRef(since)], paths };
  const [before, after] = await Promise.all(
    [base, state.commit].map((commit) => filesOfCommit(repository, commit)),
  );
  if (before === undefined || after === undefined)
    return { reasons: [stateReasons.unreadable(since)], base, paths };
  const committed = differingFiles(before, after).map(textOfPath);
  const changed = [...new Set([...committed, ...state.changed])];
  const { prefix } = repository;
  const patterns = within.flatMap((one) => {
    const pattern = [prefix, one.replace(/^\.\//, '').replace(/\/$/, '')]
      .filter((part) => part !== '')
      .join('/');
    // The name of a folder means everything in it.
    return [pattern, `${pattern}/**`];
  });
  const outside = await pathsOutside(changed, patterns);
  const reasons = outside.length === 0 ? [] : [stateReasons.outside(listed(outside.toSorted()), within)];
  return { reasons, base, paths };
}

/** Returns why a file is not what a step asks for. */
export async function judgeFile(
  { file: { path, min_bytes: least = 0 }, at }: FileEvidence,
  folder: string,
  {
    repository,
    state,
  }: { readonly repository: Repository | undefined; readonly state: TreeState | undefined },
): Promise<Judged> {
  const place = await placeOf(folder, path);
  const paths = [path];
  if (place === undefined) return { reasons: [stateReasons.noFile(path)], paths };
  if (place === 'outside') return { reasons: [stateReasons.outsideFolder(path)], paths };
  const { size } = place.found;
  const isCommitted =
    at !== 'commit' ||
    repository === undefined ||
    state === undefined ||
    (await isInCommit(place.real, repository, state));
  const reasons = [
    ...(size < least ? [stateReasons.tooSmall(path, Number(size), least)] : []),
    ...(isCommitted ? [] : [stateReasons.notInCommit(path)]),
  ];
  return { reasons, paths, file: { path, digest: await digestOfContent(place.real, place.found) } };
}

/** Returns whether a commit has a file. A clean work tree does not prove it, because git ignores some files. */
async function isInCommit(
  real: string,
  repository: Repository,
  { commit }: Pick<TreeState, 'commit'>,
): Promise<boolean> {
  const path = relative(repository.root, real).split(sep).join('/');
  const files = await filesOfCommit(repository, commit);
  return files?.has(Buffer.from(path).toString('latin1')) === true;
}

/** Returns the digest of a file in a folder; `undefined` if there is none. */
export async function digestOfFileIn(folder: string, path: string): Promise<string | undefined> {
  const place = await placeOf(folder, path);
  if (place === undefined || place === 'outside') return undefined;
  return digestOfContent(place.real, place.found).catch(() => undefined);
}

async function placeOf(
  folder: string,
  path: string,
): Promise<{ readonly real: string; readonly found: BigIntStats } | 'outside' | undefined> {
  const root = await realpath(folder);
  const real = await realpath(join(root, path)).catch(() => undefined);
  if (real === undefined) return undefined;
  if (!real.startsWith(root + sep)) return 'outside';
  const found = await stat(real, { bigint: true }).catch(() => undefined);
  return found?.isFile() === true ? { real, found } : undefined;
}
