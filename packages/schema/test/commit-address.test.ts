import { expect, test } from 'vitest';
import { commitAddress, repositoryAddress } from '../src/index.ts';

const commit = '8f3c2a1d5b7e9f0c4a6b8d2e1f3a5c7b9d0e2f4a';

test.each([
  ['https://github.com/ada/cart.git', 'https://github.com/ada/cart'],
  ['https://ada:secret@github.com/ada/cart', 'https://github.com/ada/cart'],
  ['https://x-access-token:ghp_1@GitHub.com/ada/cart.git/', 'https://github.com/ada/cart'],
  ['git@github.com:ada/cart.git', 'https://github.com/ada/cart'],
  ['ssh://git@gitlab.com/group/sub/cart.js.git', 'https://gitlab.com/group/sub/cart.js'],
  ['git@bitbucket.org:ada/cart.git', 'https://bitbucket.org/ada/cart'],
  ['https://codeberg.org/ada/cart', 'https://codeberg.org/ada/cart'],
])('The remote %s has the address %s', (remote, found) => {
  expect(repositoryAddress(remote)).toBe(found);
});

test.each([
  'https://example.com/ada/cart.git',
  'https://github.com.example.com/ada/cart',
  'https://example.com/github.com/ada/cart',
  'https://github.com@example.com/ada/cart',
  'https://github.com/ada',
  'https://github.com/ada/../cart',
  'https://github.com/ada/cart?x=1',
  'https://github.com/ada/cart#x',
  'https://github.com/ada/ca rt',
  'http://github.com/ada/cart',
  'javascript:alert(1)//github.com/ada/cart',
  '/srv/git/cart.git',
  '',
])('The remote %s has no address', (remote) => {
  expect(repositoryAddress(remote)).toBeUndefined();
});

test('A commit has a page on each known host', () => {
  const pages = ['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'].map((host) =>
    commitAddress(`https://${host}/ada/cart`, commit),
  );
  expect(pages).toEqual([
    `https://github.com/ada/cart/commit/${commit}`,
    `https://gitlab.com/ada/cart/-/commit/${commit}`,
    `https://bitbucket.org/ada/cart/commits/${commit}`,
    `https://codeberg.org/ada/cart/commit/${commit}`,
  ]);
});

test.each([
  [undefined, commit],
  ['https://example.com/ada/cart', commit],
  ['javascript:alert(1)', commit],
  ['https://github.com/ada/cart/../../x/y', commit],
  ['https://github.com/ada/cart', '8f3c2a1d'],
  ['https://github.com/ada/cart', `${commit}/../x`],
])('The repository %s and the commit %s have no link', (repository, id) => {
  expect(commitAddress(repository, id)).toBeUndefined();
});
