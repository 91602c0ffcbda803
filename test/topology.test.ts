import { expect, test } from 'vitest';
import type { Manifest, Package } from './manifest.ts';
import { readPackages } from './manifest.ts';
import { entries, topologyProblems } from './topology.ts';

const packages = readPackages();

test('every package keeps to the arrows, pins its dependencies and says what it is', () => {
  expect(topologyProblems(packages)).toEqual([]);
});

test('every package exports exactly this', () => {
  const published = packages.filter(({ manifest }) => manifest.private !== true);
  const maps = published.map(({ manifest }) => [manifest.name, { ...manifest.bin, ...manifest.exports }]);
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
      './sqlite': 'sqlite',
      './postgres': 'postgres',
      './journal': 'journal',
      './testing': 'testing',
    }),
    '@workflowlookup/core': entries({ '.': 'index', './decisions': 'decisions' }),
    '@workflowlookup/analysis': entries({ '.': 'index' }),
    '@workflowlookup/diagrams': entries({ '.': 'index' }),
    '@workflowlookup/host': entries({ '.': 'index', './bundled': 'bundled', './flags': 'flags' }),
    '@workflowlookup/mcp': entries({ '.': 'index', './client': 'client', './http': 'http' }),
    '@workflowlookup/stdio': {
      'workflowlookup-stdio': './dist/main.js',
      './run': { '@workflowlookup/source': './src/run.ts', default: './dist/run.js' },
      './package.json': './package.json',
    },
    workflowlookup: {
      workflowlookup: './dist/main.js',
      './schemas/*': './schemas/*',
      './package.json': './package.json',
    },
    '@workflowlookup/console': {
      './contract': { '@workflowlookup/source': './src/contract.ts' },
      './dist/*': './dist/*',
      './package.json': './package.json',
    },
    '@workflowlookup/http': {
      'workflowlookup-http': './dist/main.js',
      './run': { '@workflowlookup/source': './src/run.ts', default: './dist/run.js' },
      './package.json': './package.json',
    },
    '@workflowlookup/workflows': {
      './catalogue.json': './catalogue.json',
      './definitions/*': './definitions/*',
      './package.json': './package.json',
    },
  });
});

const schema: Package = {
  folder: 'packages/schema',
  hasReadme: true,
  manifest: {
    name: '@workflowlookup/schema',
    version: '1.0.0',
    description: 'What a workflow is.',
    license: 'MIT',
    type: 'module',
    repository: { directory: 'packages/schema' },
    engines: { node: '>=20.19' },
    publishConfig: { access: 'public' },
  },
};

const withManifest = (changes: Partial<Manifest>): Package => ({
  ...schema,
  manifest: { ...schema.manifest, ...changes },
});

test.each<[problem: string, Package]>([
  [
    '@workflowlookup/schema may not depend on @workflowlookup/core',
    withManifest({ dependencies: { '@workflowlookup/core': 'workspace:*' } }),
  ],
  [
    '@workflowlookup/schema may not depend on @modelcontextprotocol/server',
    withManifest({ peerDependencies: { '@modelcontextprotocol/server': '2.4.0' } }),
  ],
  ['@workflowlookup/schema asks for yaml ^2.9.1: pin it', withManifest({ dependencies: { yaml: '^2.9.1' } })],
  [
    '@workflowlookup/other has no row in the table of arrows',
    withManifest({ name: '@workflowlookup/other' }),
  ],
  ['@workflowlookup/schema lacks a README.md', { ...schema, hasReadme: false }],
  ['@workflowlookup/schema lacks license MIT', withManifest({ license: 'ISC' })],
  ['@workflowlookup/schema lacks engines.node >=20.19', withManifest({ engines: {} })],
  [
    '@workflowlookup/schema lacks repository.directory packages/schema',
    withManifest({ repository: { directory: 'packages/core' } }),
  ],
])('sees that %s', (problem, faulty) => {
  expect(topologyProblems([schema])).toEqual([]);
  expect(topologyProblems([faulty])).toEqual([problem]);
});

test('sees packages of different versions', () => {
  expect(topologyProblems([schema, withManifest({ version: '1.0.1' })])).toEqual([
    'packages are released together, found versions 1.0.0, 1.0.1',
  ]);
});
