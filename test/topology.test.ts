import { expect, test } from 'vitest';
import { readPackages } from './manifest.ts';
import { entries, topologyProblems } from './topology.ts';

const packages = readPackages();

test('every package keeps to the arrows, pins its dependencies and says what it is', () => {
  expect(topologyProblems(packages)).toEqual([]);
});

test('every package exports exactly this', () => {
  const published = packages.filter(({ manifest }) => manifest.private !== true);
  const maps = published.map(({ manifest }) => [manifest.name, manifest.exports ?? manifest.bin]);
  expect(Object.fromEntries(maps)).toEqual({
    '@workflowlookup/schema': { ...entries({ '.': 'index' }), './schemas/*': './schemas/*' },
    '@workflowlookup/conditions': entries({ '.': 'index' }),
    '@workflowlookup/validation': entries({ '.': 'index' }),
    '@workflowlookup/storage': entries({
      '.': 'index',
      './memory': 'memory',
      './files': 'files',
      './layered': 'layered',
      './cached': 'cached',
      './testing': 'testing',
    }),
    '@workflowlookup/core': entries({ '.': 'index' }),
    '@workflowlookup/host': entries({ '.': 'index' }),
    '@workflowlookup/mcp': entries({ '.': 'index', './client': 'client' }),
    '@workflowlookup/stdio': { 'workflowlookup-stdio': './dist/main.js' },
    '@workflowlookup/workflows': {
      './definitions/*': './definitions/*',
      './package.json': './package.json',
    },
  });
});
