import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundledDirectory, createHost, sourcesOf } from '../../src/index.ts';

const place = { workingDirectory: '/project', homeDirectory: '/home/me' };

describe('sourcesOf', () => {
  test('orders the sources from the bundled workflows to the options, lowest first', () => {
    const sources = sourcesOf(
      { ...place, storagePaths: ['/env'], directories: ['flag', '/other'] },
      '/bundled',
    );
    expect(sources).toEqual([
      { name: 'bundled', directory: '/bundled' },
      { name: 'user', directory: '/home/me/.workflowlookup/workflows' },
      { name: 'project', directory: '/project/workflows', isProject: true },
      { name: 'project-hidden', directory: '/project/.workflowlookup/workflows', isProject: true },
      { name: 'custom-1', directory: '/env' },
      { name: 'custom-2', directory: '/project/flag' },
      { name: 'custom-3', directory: '/other' },
    ]);
  });

  test.each([
    { leftOut: { includeBundled: false }, names: ['user', 'project', 'project-hidden'] },
    { leftOut: { includeUser: false }, names: ['bundled', 'project', 'project-hidden'] },
    { leftOut: { includeProject: false }, names: ['bundled', 'user'] },
  ])('leaves out the right sources for $leftOut', ({ leftOut, names }) => {
    expect(sourcesOf({ ...place, ...leftOut }, '/bundled').map(({ name }) => name)).toEqual(names);
  });

  test('uses the last position of a directory that is named twice', () => {
    const sources = sourcesOf(
      { ...place, includeUser: false, includeBundled: false, directories: ['workflows', '/x'] },
      '/b',
    );
    expect(sources.map(({ directory }) => directory)).toEqual([
      '/project/.workflowlookup/workflows',
      '/project/workflows',
      '/x',
    ]);
  });

  test.each([
    { path: '~', directory: '/home/me' },
    { path: '~/flows', directory: '/home/me/flows' },
    { path: '~other/flows', directory: '/project/~other/flows' },
  ])('resolves the path $path to $directory', ({ path, directory }) => {
    expect(sourcesOf({ ...place, directories: [path] }, '/b').at(-1)?.directory).toBe(directory);
  });
});

test('The bundled definitions are where the host looks for them', () => {
  expect(existsSync(bundledDirectory())).toBe(true);
  expect(readdirSync(bundledDirectory()).filter((name) => /^[^.]+\.yaml$/.test(name))).toHaveLength(8);
  expect(existsSync(join(bundledDirectory(), 'meta', 'workflow.yaml'))).toBe(true);
});

test('A host without sources is an engine without workflows', async () => {
  const { engine, sources } = createHost({
    includeBundled: false,
    includeUser: false,
    includeProject: false,
  });
  expect(sources).toEqual([]);
  expect(await engine.list()).toEqual({ workflows: [] });
  await engine.close();
});
