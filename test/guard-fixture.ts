import knip from '../knip.json' with { type: 'json' };
import type { Files } from './fixture-workspace.ts';

/** The export map of both packages of the fixture. */
export const fixtureExports = {
  '.': {
    '@workflowlookup/source': './src/index.ts',
    types: './dist/index.d.ts',
    default: './dist/index.js',
  },
  './package.json': './package.json',
} as const;

/** The package.json of a package of the fixture; `changes` go over it. */
export function fixtureManifest(name: string, changes: object = {}): object {
  return {
    name: `@workflowlookup/${name}`,
    version: '1.0.0',
    description: 'A package that every guard passes.',
    license: 'MIT',
    repository: {
      type: 'git',
      url: 'git+https://github.com/workflowlookup/workflowlookup.git',
      directory: `packages/${name}`,
    },
    files: ['dist', 'src'],
    type: 'module',
    sideEffects: false,
    exports: fixtureExports,
    publishConfig: { access: 'public' },
    ...changes,
    engines: { node: '>=20.19' },
  };
}

/** What the fixture's core says of itself. */
export const coreManifest = (changes: object = {}): object =>
  fixtureManifest('core', { dependencies: { '@workflowlookup/schema': 'workspace:*' }, ...changes });

/** The declarations of the fixture's schema. */
const schemaDeclarations = `/** How far an answer is to be trusted. */
export type Trust = 'full' | 'none';
/** What to answer. */
export declare const answer = 42;
`;

/**
 * A workspace of two packages that every guard passes, with sources as packages may have them: imports along the
 * arrows, and Node where Node may be.
 */
export const cleanWorkspace: Files = {
  'package.json': {
    name: 'fixture',
    private: true,
    license: 'MIT',
    type: 'module',
    packageManager: 'pnpm@12.21.0',
  },
  'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
  'knip.json': { ignore: ['scripts/**'], workspaces: { 'packages/*': knip.workspaces['packages/*'] } },
  'packages/schema/package.json': fixtureManifest('schema'),
  'packages/schema/README.md': '# schema\n',
  'packages/schema/src/index.ts': `export { answer } from './answer.ts';\nexport type { Trust } from './answer.ts';\n`,
  'packages/schema/src/answer.ts': `/** How far an answer is to be trusted. */
export type Trust = 'full' | 'none';

/** What to answer. */
export const answer = 42;
`,
  'packages/schema/dist/index.js': 'export const answer = 42;\n',
  'packages/schema/dist/index.d.ts': schemaDeclarations,
  'packages/core/package.json': coreManifest(),
  'packages/core/README.md': '# core\n',
  'packages/core/src/index.ts': `export { engine } from './engine.ts';\n`,
  'packages/core/src/engine.ts': `import { sep } from 'node:path';
import { answer } from '@workflowlookup/schema';

/** The answer, as a path. */
export const engine = \`\${sep}\${answer}\`;
`,
  'packages/core/dist/index.js': `import { answer } from '@workflowlookup/schema';\nexport const engine = String(answer);\n`,
  'packages/core/dist/index.d.ts': `/** The answer, as a path. */\nexport declare const engine: string;\n`,
};
