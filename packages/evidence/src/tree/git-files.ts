import { join, resolve } from 'node:path';
import { repositoryAddress } from '@workflowlookup/schema';
import { openRegular } from '../regular-file.ts';

/** The folders of a repository, as git reports them. All paths are absolute. */
export interface GitPlaces {
  /** The top folder of the work tree. */
  readonly root: string;
  readonly gitDir: string;
  /** The folder that all work trees share. */
  readonly common: string;
}

/**
 * Returns the commit that is checked out, without running git: starting a process takes longer than reading these
 * files. Returns `undefined` unless the files have their simplest form, which git would read in the same way. An agent
 * can write all of them, so they must still point to the folders that git reported.
 */
export async function readHead({ root, gitDir, common }: GitPlaces): Promise<string | undefined> {
  const [link, shared, config, head] = await Promise.all([
    gitDir === join(root, '.git') ? '' : textOf(join(root, '.git')),
    textOf(join(gitDir, 'commondir')),
    textOf(join(common, 'config')),
    textOf(join(gitDir, 'HEAD')),
  ]);
  const isLinked = link === '' || link === `gitdir: ${gitDir}\n`;
  const isShared = shared === undefined ? common === gitDir : resolve(gitDir, shared.trimEnd()) === common;
  // Another reference format stores commits elsewhere. A configuration can't spell the name of this setting in any
  // other way.
  if (!isLinked || !isShared || config === undefined || /refstorage/i.test(config)) return undefined;
  const branch = /^ref: (refs\/heads\/[\w/-]+(?:\.[\w/-]+)*)\n$/.exec(head ?? '')?.[1];
  return commitIn(branch === undefined ? head : await textOf(join(common, branch)));
}

/**
 * Returns the web address of the remote `origin` from the configuration of a repository; `undefined` if it is not on a
 * known host. An agent can write the configuration, but the page of a commit only shows content that matches its hash.
 */
export async function readWebAddress({ common }: Pick<GitPlaces, 'common'>): Promise<string | undefined> {
  const config = await textOf(join(common, 'config'));
  const section = /^\[remote "origin"\]\s*\n((?:(?!\s*\[).*\n?)*)/m.exec(config ?? '')?.[1];
  const url = /^\s*url\s*=\s*"?([^\s"]+)"?\s*$/m.exec(section ?? '')?.[1];
  return url === undefined ? undefined : repositoryAddress(url);
}

function commitIn(text: string | undefined): string | undefined {
  return /^([0-9a-f]{40}(?:[0-9a-f]{24})?)\n$/.exec(text ?? '')?.[1];
}

const maxBytes = 65_536;

/** Reads a small file that is neither a link nor a pipe; `undefined` if there is none. */
async function textOf(path: string): Promise<string | undefined> {
  const file = await openRegular(path, { followsLink: false });
  if (file === undefined) return undefined;
  try {
    return (await file.stat()).size <= maxBytes ? await file.readFile('utf8') : undefined;
  } catch {
    // It can't be read.
    return undefined;
  } finally {
    await file.close();
  }
}

/** A file that an index of git knows. */
interface IndexEntry {
  /** When git last looked at it, the file system had last noticed a change then: whole seconds since 1970. */
  readonly changedS: number;
  /** As git writes it. */
  readonly mode: string;
  readonly id: string;
  /** Each byte as one character. */
  readonly path: string;
}

/**
 * Reads the entries of an index, as https://git-scm.com/docs/index-format describes them. Git shows their times only in a
 * format for people that may change.
 *
 * @param idBytes the length of the names of objects
 * @throws Error for versions that git does not write without being told to
 */
export function* readIndex(bytes: Buffer, idBytes: number): Generator<IndexEntry> {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) > 3)
    throw new Error('unknown index format');
  const count = bytes.readUInt32BE(8);
  let start = 12;
  for (let nth = 0; nth < count; nth += 1) {
    const idAt = start + 40;
    const flagsAt = idAt + idBytes;
    const isExtended = (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    const pathAt = flagsAt + (isExtended ? 4 : 2);
    const end = bytes.indexOf(0, pathAt);
    yield {
      changedS: bytes.readUInt32BE(start),
      mode: bytes.readUInt32BE(start + 24).toString(8),
      id: bytes.toString('hex', idAt, flagsAt),
      path: bytes.toString('latin1', pathAt, end),
    };
    // Entries are filled up with one to eight zeros.
    start += (end - start + 8) & ~7;
  }
}
