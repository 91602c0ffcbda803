import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../scripts/workspace.mjs';
import { readPackages } from './manifest.ts';

interface Named {
  readonly name: string;
}

interface RegistryEntry extends Named {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly repository: { readonly url: string; readonly subfolder: string };
  readonly packages: readonly {
    readonly registryType: string;
    readonly identifier: string;
    readonly version: string;
    readonly packageArguments: readonly Named[];
    readonly environmentVariables: readonly Named[];
  }[];
}

const entry = JSON.parse(readFileSync(join(root, 'server.json'), 'utf8')) as RegistryEntry;
const app = readPackages().find(({ folder }) => folder === 'apps/stdio')?.manifest;
const [listed] = entry.packages;

test('the entry of the MCP registry is of the package that says it is, in its version', () => {
  expect(entry.name).toBe(app?.mcpName);
  expect(entry.version).toBe(app?.version);
  expect(entry.packages).toHaveLength(1);
  expect(listed).toMatchObject({ registryType: 'npm', identifier: app?.name, version: app?.version });
  expect(`git+${entry.repository.url}.git`).toBe(app?.repository?.url);
  expect(entry.repository.subfolder).toBe(app?.repository?.directory);
});

test('the entry keeps to what the registry takes', () => {
  expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(entry.title.length).toBeLessThanOrEqual(100);
  expect(entry.description.length).toBeLessThanOrEqual(100);
});

test('flags and variables that the entry names are those of the server', () => {
  const usage = execFileSync(process.execPath, [join(root, 'apps/stdio/dist/main.js'), '--help'], {
    encoding: 'utf8',
  });
  for (const { name } of [...(listed?.packageArguments ?? []), ...(listed?.environmentVariables ?? [])])
    expect(usage).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
});
