import { delimiter, isAbsolute, relative, sep } from 'node:path';

/** Names of variables that hold secrets, or that change how `git` and programs on Node.js behave. */
const withheld =
  /^(WORKFLOWLOOKUP_|WORKFLOW_|GIT_|PG|DATABASE_URL$|NODE_OPTIONS$|LD_PRELOAD$)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|_DSN$/i;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a search path without the folders of a project, as a variable; nothing if there is none. `npx` puts `node_modules/.bin` of the working folder, and of
 * all folders above it, before the others, and an agent can write a program named `git` or `npm` there.
 */
export function pathWithoutProject(path: string | undefined, folder: string): { readonly PATH?: string } {
  if (path === undefined) return {};
  const kept = path
    .split(delimiter)
    .filter((entry) => {
      if (!isAbsolute(entry) || isWithin(folder, entry)) return false;
      const [above, rest] = entry.split(`${sep}node_modules${sep}.bin`, 2);
      return rest === undefined || !isWithin(above === '' ? sep : (above ?? sep), folder);
    })
    .join(delimiter);
  return { PATH: kept };
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Returns the environment that a command gets: that of the server without what looks like a secret, and without the
 * options of the server, and without programs in the folder of the project. `allowed` names variables that a check needs all the same; those of the server stay out.
 */
export function commandEnvironment(
  environment: Environment,
  { folder, allowed = [] }: { readonly folder: string; readonly allowed?: readonly string[] },
): Record<string, string> {
  const isPassed = (name: string): boolean =>
    !withheld.test(name) || (allowed.includes(name) && !/^WORKFLOWLOOKUP_/i.test(name));
  const passed = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || !isPassed(name) ? [] : [[name, value] as const],
  );
  const path = pathWithoutProject(environment['PATH'], folder);
  return { ...Object.fromEntries(passed), ...path, CI: environment['CI'] ?? 'true', NO_COLOR: '1' };
}
