/** How the hosts that are known show a commit. A page of any other host could show what it likes. */
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
 * Returns the address of a repository on the web for the URL of a remote, without credentials; `undefined` if it is not
 * on a known host.
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
 * Returns the address of the page of a commit; `undefined` unless the repository is one that `repositoryAddress` returns,
 * and the commit a whole id. Journals can be imported, so both are checked where a link is made of them.
 */
export function commitAddress(repository: string | undefined, commit: string): string | undefined {
  const host = address.exec(repository ?? '')?.[1];
  if (host === undefined || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) return undefined;
  return `${repository}${commitPaths[host]}${commit}`;
}
