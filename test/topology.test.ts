import { expect, test } from 'vitest';
import type { Package } from './support/manifest.ts';
import { readPackages } from './support/manifest.ts';

test('Every package follows the dependency rules, pins its dependencies, runs its tests and has a description', () => {
  expect(topologyProblems(readPackages())).toEqual([]);
});

/** Which of our packages each package may need at run time, or an app may have in its bundle. */
const dependencyRules: Readonly<Record<string, readonly string[]>> = {
  '@workflowlookup/schema': [],
  '@workflowlookup/conditions': ['@workflowlookup/schema'],
  '@workflowlookup/validation': ['@workflowlookup/schema', '@workflowlookup/conditions'],
  '@workflowlookup/storage': ['@workflowlookup/schema'],
  '@workflowlookup/core': [
    '@workflowlookup/schema',
    '@workflowlookup/conditions',
    '@workflowlookup/validation',
    '@workflowlookup/storage',
  ],
  '@workflowlookup/analysis': [
    '@workflowlookup/schema',
    '@workflowlookup/conditions',
    '@workflowlookup/core',
  ],
  '@workflowlookup/diagrams': [
    '@workflowlookup/schema',
    '@workflowlookup/validation',
    '@workflowlookup/core',
  ],
  '@workflowlookup/evidence': ['@workflowlookup/schema', '@workflowlookup/core'],
  '@workflowlookup/host': [
    '@workflowlookup/schema',
    '@workflowlookup/evidence',
    '@workflowlookup/validation',
    '@workflowlookup/storage',
    '@workflowlookup/core',
    '@workflowlookup/analysis',
    '@workflowlookup/diagrams',
    '@workflowlookup/workflows',
  ],
  '@workflowlookup/mcp': ['@workflowlookup/schema', '@workflowlookup/core'],
  '@workflowlookup/stdio': [
    '@workflowlookup/schema',
    '@workflowlookup/storage',
    '@workflowlookup/core',
    '@workflowlookup/host',
    '@workflowlookup/mcp',
    '@workflowlookup/workflows',
  ],
  '@workflowlookup/console': [
    '@workflowlookup/schema',
    '@workflowlookup/core',
    '@workflowlookup/analysis',
    '@workflowlookup/diagrams',
  ],
  '@workflowlookup/http': [
    '@workflowlookup/schema',
    '@workflowlookup/storage',
    '@workflowlookup/core',
    '@workflowlookup/host',
    '@workflowlookup/mcp',
    '@workflowlookup/diagrams',
    '@workflowlookup/console',
    '@workflowlookup/workflows',
  ],
  '@workflowlookup/workflows': [],
  workflowlookup: [
    '@workflowlookup/schema',
    '@workflowlookup/evidence',
    '@workflowlookup/core',
    '@workflowlookup/analysis',
    '@workflowlookup/diagrams',
    '@workflowlookup/host',
    '@workflowlookup/mcp',
    '@workflowlookup/stdio',
    '@workflowlookup/console',
    '@workflowlookup/http',
    '@workflowlookup/workflows',
  ],
};

/** Returns the problems in the dependencies between packages and in their manifests, one line each. */
function topologyProblems(packages: readonly Package[]): readonly string[] {
  const published = packages.filter(({ manifest }) => manifest.private !== true);
  const versions = new Set(published.map(({ manifest }) => manifest.version));
  return [
    ...published.flatMap(dependencyProblems),
    ...published.flatMap(fieldProblems),
    ...packages.flatMap(pinProblems),
    ...packages.flatMap(scriptProblems),
    ...(versions.size > 1
      ? [`packages are released together, found versions ${[...versions].join(', ')}`]
      : []),
  ];
}

function dependencyProblems({ folder, manifest }: Package): readonly string[] {
  const { name, dependencies, peerDependencies, devDependencies } = manifest;
  const allowed = dependencyRules[name];
  if (allowed === undefined) return [`${name} has no row in the table of test/topology.test.ts`];
  // An app bundles its dependencies, so they are devDependencies.
  const bundled = folder.startsWith('apps/') ? devDependencies : {};
  const needed = Object.keys({ ...dependencies, ...peerDependencies, ...bundled });
  const ours = needed.filter((one) => isOurs(one) && !allowed.includes(one));
  const protocol = needed.filter((one) => one.startsWith('@modelcontextprotocol/'));
  const mayNotSpeak = name !== '@workflowlookup/mcp' && !folder.startsWith('apps/');
  return [...ours, ...(mayNotSpeak ? protocol : [])].map((one) => `${name} may not depend on ${one}`);
}

function fieldProblems({ folder, manifest, hasReadme }: Package): readonly string[] {
  const { name, description, license, type, repository, engines, publishConfig } = manifest;
  const wanted: Readonly<Record<string, boolean>> = {
    'a README.md': hasReadme,
    'a description': description !== undefined,
    'license MIT': license === 'MIT',
    'type module': type === 'module',
    [`repository.directory ${folder}`]: repository?.directory === folder,
    'engines.node >=20.19': engines?.node === '>=20.19',
    'publishConfig.access public': publishConfig?.access === 'public',
  };
  return Object.keys(wanted)
    .filter((what) => wanted[what] === false)
    .map((what) => `${name} lacks ${what}`);
}

/** Returns the dependencies that are not pinned: our packages must be linked, and others must have an exact version. */
function pinProblems({ manifest: { name, dependencies, devDependencies } }: Package): readonly string[] {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([one, range]) =>
      isOurs(one) ? range !== 'workspace:*' : !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range),
    )
    .map(([one, range]) => `${name} asks for ${one} ${range}: pin it`);
}

/** Checks that a package with tests has a script `test`. `npm test` runs no other packages. */
function scriptProblems({ manifest: { name, scripts }, hasTests }: Package): readonly string[] {
  return hasTests && scripts?.['test'] === undefined
    ? [`${name} has tests, but no script 'test' that runs them`]
    : [];
}

function isOurs(name: string): boolean {
  return name === 'workflowlookup' || name.startsWith('@workflowlookup/');
}
