/** The path of a commit page on each known host. Other hosts get no links, because their pages could show anything. */
const commitPaths: Readonly<Record<string, string>> = {
  'bitbucket.org': '/commits/',
  'codeberg.org': '/commit/',
  'github.com': '/commit/',
  'gitlab.com': '/-/commit/',
};

const hosts = Object.keys(commitPaths)
  .map((host) => host.replace('.', String.raw`\.`))
  .join('|');
const path = String.raw`[\w-][\w.-]*(?:/[\w-][\w.-]*)+`;
const remotes = new RegExp(
  `^(?:(?:https|ssh)://(?:[^/@\\s]*@)?(${hosts})/|(?:[^/@\\s]+@)?(${hosts}):)(.+)$`,
  'i',
);
const address = new RegExp(`^https://(${hosts})/${path}$`);

/**
 * Returns the web address of a repository for the URL of a remote, without credentials. Returns `undefined` if the
 * repository is not on a known host.
 *
 * @example repositoryAddress('git@github.com:ada/cart.git') // 'https://github.com/ada/cart'
 */
export function repositoryAddress(remote: string): string | undefined {
  const [, byUrl, byName = '', name = ''] = remotes.exec(remote) ?? [];
  const host = (byUrl ?? byName).toLowerCase();
  const found = `https://${host}/${name.replace(/(?:\.git)?\/?$/, '')}`;
  return address.test(found) ? found : undefined;
}

/**
 * Returns the web address of a commit. Returns `undefined` unless the repository has the form that `repositoryAddress`
 * returns and the commit is a full id. Both are checked here because they may come from an imported journal.
 */
export function commitAddress(repository: string | undefined, commit: string): string | undefined {
  const host = address.exec(repository ?? '')?.[1];
  if (host === undefined || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) return undefined;
  return `${repository}${commitPaths[host]}${commit}`;
}
