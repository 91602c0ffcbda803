import type { Fault } from './guards.ts';

const rules: readonly Fault[] = [
  rule('no-floating-promises', 'async function later() {}\nexport function now(): void {\n  later();\n}'),
  rule('no-misused-promises', 'export const wait = async () => true;\nexport const now = wait() ? 1 : 2;'),
  rule(
    'switch-exhaustiveness-check',
    "export function size(trust: 'full' | 'none'): number {\n  switch (trust) {\n    case 'full':\n      return 1;\n  }\n  return 0;\n}",
  ),
  rule('no-explicit-any', 'export const value: any = 1;'),
  rule('no-non-null-assertion', 'export const first = (list: readonly string[]): string => list[0]!;'),
  rule(
    'consistent-type-imports',
    "import { Trust } from './answer.ts';\nexport const trust: Trust = 'full';",
  ),
  rule('explicit-module-boundary-types', 'export function half(value: number) {\n  return value / 2;\n}'),
  rule('no-default-export', 'export default 1;'),
  rule('prefer-node-protocol', "import { sep } from 'path';\nexport const separator = sep;", 'storage'),
  rule('no-console', "console.log('hello');\nexport const said = true;"),
  rule('no-empty', 'try {\n  JSON.parse("");\n} catch {}\nexport const done = true;'),
  rule(
    'no-unused-vars',
    'try {\n  JSON.parse("");\n} catch (error) {\n  // Nothing.\n}\nexport const done = true;',
  ),
  rule(
    'max-lines',
    lines(601, (at) => `export const value${at} = ${at};`),
  ),
  rule('max-lines-per-function', `export function long(): void {\n${lines(120, (at) => `  void ${at};`)}\n}`),
  rule(
    'max-params',
    'export const sum = (a: number, b: number, c: number, d: number, e: number, f: number): number => a + b + c + d + e + f;',
  ),
  rule(
    'complexity',
    `export function choose(value: number): number {\n${lines(20, (at) => `  if (value === ${at}) return ${at + 1};`)}\n  return 0;\n}`,
  ),
  rule('no-restricted-properties', 'export const { env } = process;'),
  {
    fault: 'filename-case',
    files: { 'packages/schema/src/camelCase.ts': 'export const camel = 1;\n' },
    says: /schema\/src\/camelCase\.ts.*filename-case/,
  },
  {
    fault: 'no-danger',
    files: {
      'apps/console/src/danger.tsx':
        "import type { ReactNode } from 'react';\n\nexport const Danger = ({ text }: { readonly text: string }): ReactNode => (\n  <p dangerouslySetInnerHTML={{ __html: text }} />\n);\n",
    },
    says: /console\/src\/danger\.tsx.*no-danger/,
  },
  {
    fault: 'no-cycle',
    files: {
      'packages/schema/src/chicken.ts':
        "import { egg } from './egg.ts';\nexport const chicken = (): string => egg();\n",
      'packages/schema/src/egg.ts':
        "import { chicken } from './chicken.ts';\nexport const egg = (): string => chicken();\n",
    },
    says: /schema\/src\/egg\.ts.*no-cycle/,
  },
];

const boundaries: readonly Fault[] = [
  boundary('packages/schema', '@workflowlookup/conditions'),
  boundary('packages/conditions', '@workflowlookup/validation'),
  boundary('packages/validation', '@workflowlookup/storage'),
  boundary('packages/storage', '@workflowlookup/core'),
  boundary('packages/core', '@workflowlookup/storage/files'),
  boundary('packages/core', '@workflowlookup/mcp'),
  boundary('packages/core', '@workflowlookup/analysis'),
  boundary('packages/core', '@workflowlookup/diagrams'),
  boundary('packages/analysis', '@workflowlookup/host'),
  boundary('packages/diagrams', '@workflowlookup/storage'),
  boundary('packages/host', '@workflowlookup/mcp'),
  boundary('packages/mcp', '@workflowlookup/host'),
  boundary('packages/mcp', '@workflowlookup/storage/files'),
  boundary('packages/mcp', '@opentelemetry/api'),
  boundary('apps/stdio', '@workflowlookup/storage/files'),
  boundary('apps/stdio', '@modelcontextprotocol/server'),
  boundary('apps/http', '@workflowlookup/storage/sqlite'),
  boundary('apps/http', '@modelcontextprotocol/server'),
  boundary('apps/console', '@workflowlookup/host'),
  boundary('apps/console', '@modelcontextprotocol/server'),
  boundary('packages/host', '@modelcontextprotocol/server'),
  boundary('packages/core', '@modelcontextprotocol/server'),
  boundary('packages/mcp', '../../core/src/engine.ts'),
  boundary('packages/host', 'node:process'),
  boundary('packages/schema', 'node:path', 'no-nodejs-modules'),
  boundary('packages/conditions', 'node:path', 'no-nodejs-modules'),
  boundary('packages/validation', 'node:path', 'no-nodejs-modules'),
  boundary('packages/core', 'node:path', 'no-nodejs-modules'),
  boundary('packages/analysis', 'node:path', 'no-nodejs-modules'),
  boundary('packages/diagrams', 'node:path', 'no-nodejs-modules'),
  boundary('apps/console', 'node:path', 'no-nodejs-modules'),
];

/** One fault for each rule group of `.oxlintrc.json`, and one for each boundary. */
export const lintFaults: readonly Fault[] = [...rules, ...boundaries];

/** A fault against one rule, in a file of a package named after the rule. */
function rule(name: string, source: string, folder = 'schema'): Fault {
  const file = `packages/${folder}/src/${name}.ts`;
  return { fault: name, files: { [file]: `${source}\n` }, says: new RegExp(`${file}.*\\(${name}\\)`) };
}

/** An import a folder may not have, written twice: as a declaration and as a call. */
function boundary(folder: string, specifier: string, name = 'no-restricted-imports'): Fault {
  const file = `${folder}/src/import-${specifier.replaceAll(/\W+/g, '-')}.ts`;
  const source = `import * as all from '${specifier}';\nexport const later = async (): Promise<unknown> => [all, await import('${specifier}')];\n`;
  return {
    fault: `${folder} importing ${specifier}`,
    files: { [file]: source },
    says: new RegExp(`${file}:1:.*\\(${name}\\)[\\s\\S]*${file}:2:.*\\(${name}\\)`),
  };
}

function lines(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join('\n');
}
