import type { Files } from './fixture-workspace.ts';
import { coreManifest, fixtureExports, fixtureManifest } from './guard-fixture.ts';
import { lintFaults } from './lint-faults.ts';

/** Something wrong, the files that make it so, and what the guard prints when it sees it. */
export interface Fault {
  readonly fault: string;
  readonly files: Files;
  readonly says: RegExp;
}

/** A check of `npm test`, and the faults it is there for. They are planted together; each must be named. */
export interface Guard {
  readonly guard: string;
  readonly command: readonly string[];
  readonly faults: readonly Fault[];
}

/** Every guard that is a command. Guards that are functions are tested beside them. */
export const guards: readonly Guard[] = [
  { guard: 'lint', command: ['oxlint', '--format=unix'], faults: lintFaults },
  {
    guard: 'format',
    command: ['oxfmt', '--check', 'packages'],
    faults: [
      {
        fault: 'two blanks',
        files: { 'packages/schema/src/blanks.ts': 'export const  a = 1;\n' },
        says: /schema\/src\/blanks\.ts/,
      },
    ],
  },
  {
    guard: 'types',
    command: ['tsc', '-p', 'tsconfig.json'],
    faults: [
      {
        fault: 'a text where a number belongs',
        files: { 'packages/schema/src/number.ts': "export const count: number = 'one';\n" },
        says: /number\.ts.*TS2322/,
      },
      {
        fault: 'a name another package does not export',
        files: {
          'packages/core/src/name.ts': "export { question } from '@workflowlookup/schema';\n",
        },
        says: /name\.ts.*TS2305/,
      },
    ],
  },
  {
    guard: 'dead code',
    command: ['knip'],
    faults: [
      {
        fault: 'a file nothing imports',
        files: { 'packages/schema/src/forgotten.ts': 'export const forgotten = 1;\n' },
        says: /Unused files[\s\S]*src\/forgotten\.ts/,
      },
      {
        fault: 'an export nothing uses',
        files: {
          'packages/core/src/engine.ts':
            "import { answer } from '@workflowlookup/schema';\n\nexport const engine = answer;\nexport const spare = answer;\n",
        },
        says: /Unused exports[\s\S]*spare/,
      },
      {
        fault: 'a dependency nothing imports, and one nothing declares',
        files: {
          'packages/schema/package.json': fixtureManifest('schema', { dependencies: { ajv: '8.20.0' } }),
          'packages/schema/src/answer.ts':
            "import fc from 'fast-check';\n\n/** Trust. */\nexport type Trust = 'full';\nexport const answer = fc.nat();\n",
        },
        says: /Unused dependencies[\s\S]*ajv[\s\S]*Unlisted dependencies[\s\S]*fast-check/,
      },
    ],
  },
  {
    guard: 'workspace',
    command: ['sherif'],
    faults: [
      {
        fault: 'two versions of one dependency',
        files: {
          'packages/schema/package.json': fixtureManifest('schema', { dependencies: { yaml: '2.9.1' } }),
          'packages/core/package.json': coreManifest({ dependencies: { yaml: '2.9.0' } }),
        },
        says: /multiple-dependency-versions/,
      },
    ],
  },
  {
    guard: 'published files',
    command: ['node', 'scripts/publint.mjs'],
    faults: [
      {
        fault: 'an export of a file that does not exist',
        files: {
          'packages/schema/package.json': fixtureManifest('schema', {
            exports: { '.': { types: './dist/index.d.ts', default: './dist/main.js' } },
          }),
        },
        says: /schema: .*main\.js but the file does not exist/,
      },
      {
        fault: 'an export of a file that is not published',
        files: { 'packages/core/package.json': coreManifest({ files: ['src'] }) },
        says: /core: .*index\.js but the file is not published/,
      },
    ],
  },
  {
    guard: 'public API',
    command: ['node', 'scripts/api-reports.mjs'],
    faults: [
      {
        fault: 'an export without a docstring',
        files: {
          'packages/core/dist/index.d.ts':
            '/** The answer, as a path. */\nexport declare const engine: string;\nexport declare const more: string;\n',
        },
        says: /core\/api\/index\.api\.md: ae-undocumented .*more/,
      },
      {
        fault: 'a type that is used but not exported, and a signature that differs from the report',
        files: {
          'packages/schema/dist/index.d.ts':
            "type Hidden = 1;\n/** Trust. */\nexport type Trust = 'full';\n/** What to answer. */\nexport declare const answer: Hidden;\nexport {};\n",
        },
        says: /schema\/api\/index\.api\.md: ae-forgotten-export .*Hidden[\s\S]*schema\/api\/index\.api\.md differs/,
      },
    ],
  },
  {
    guard: 'packed smoke',
    command: ['node', 'scripts/packed-smoke.mjs'],
    faults: [
      {
        fault: 'declarations of another entry',
        files: {
          'packages/core/dist/other.d.ts': 'export declare const other: string;\n',
          'packages/core/package.json': coreManifest({
            exports: { '.': { ...fixtureExports['.'], types: './dist/other.d.ts' } },
          }),
        },
        says: /workflowlookup-core\.ts.*no exported member.*'engine'/,
      },
      {
        fault: 'an entry that can not be loaded',
        files: {
          'packages/schema/dist/lost.js': "import './nowhere.js';\n",
          'packages/schema/package.json': fixtureManifest('schema', {
            exports: {
              ...fixtureExports,
              './lost': { ...fixtureExports['.'], default: './dist/lost.js' },
            },
          }),
        },
        says: /import of @workflowlookup\/schema\/lost failed/,
      },
    ],
  },
];
