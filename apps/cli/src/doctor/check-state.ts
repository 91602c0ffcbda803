import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { access, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { shellWord } from '../render/shell-word.ts';
import type { Check } from './check.ts';
import { fine, problem, skipped } from './check.ts';
import { existingPart } from './existing-part.ts';
import { systemCodeOf } from './system-code-of.ts';

const name = 'state';

/** Whether the state directory is for this user alone and can be written, or made where it is not there yet. */
export async function checkState(directory: string): Promise<readonly Check[]> {
  const folder = existingPart(directory);
  const remedy = `Let this user write there, or name another place with --state: chmod u+rwx ${shellWord(folder)}`;
  try {
    if (!(await stat(folder)).isDirectory())
      return [problem(name, `${folder} is no directory`, 'Name another place with --state.')];
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (folder !== directory) return [skipped(name, `${directory} is made with the first session`)];
    const problems = await problemsIn(directory);
    return problems.length > 0 ? problems : [fine(name, `${directory} is for this user alone`)];
  } catch (error) {
    return [problem(name, `${folder} can't be written by this user (${systemCodeOf(error)})`, remedy)];
  }
}

interface Entry extends Stats {
  readonly path: string;
}

/** Windows keeps what is in the folder of a user from others by itself. */
async function problemsIn(directory: string): Promise<readonly Check[]> {
  const { getuid } = process;
  if (getuid === undefined) return [];
  const entries = await entriesOf(directory);
  const open = entries.filter((entry) => !entry.isSymbolicLink() && (entry.mode & 0o077) !== 0);
  const foreign = entries.filter(({ uid }) => uid !== getuid());
  return [
    ...(open.length === 0
      ? []
      : [
          problem(
            name,
            `Others may use ${pathsOf(open)}`,
            `Keep it to this user: chmod -R go-rwx ${shellWord(directory)}`,
          ),
        ]),
    ...(foreign.length === 0
      ? []
      : [
          problem(
            name,
            `Another user owns ${pathsOf(foreign)}`,
            `Run this as the user of the server, or give it to this one: chown -R ${getuid()} ${shellWord(directory)}`,
          ),
        ]),
  ];
}

/** The directory and all in it; what goes while it is looked at is left out. */
async function entriesOf(directory: string): Promise<readonly Entry[]> {
  const below = await readdir(directory, { recursive: true });
  const paths = [directory, ...below.map((path) => join(directory, path))];
  const found = await Promise.all(
    paths.map(async (path) => {
      try {
        return [Object.assign(await lstat(path), { path })];
      } catch (error) {
        if (systemCodeOf(error) === 'ENOENT') return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

function pathsOf(entries: readonly Entry[]): string {
  return entries.map(({ path }) => path).join(', ');
}
