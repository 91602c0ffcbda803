import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../scripts/support/workspace.mjs';
import { readPackages } from './support/manifest.ts';

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

test('The entry for the MCP registry has the name and the version of the package', () => {
  expect(entry.name).toBe(app?.mcpName);
  expect(entry.version).toBe(app?.version);
  expect(entry.packages).toHaveLength(1);
  expect(listed).toMatchObject({ registryType: 'npm', identifier: app?.name, version: app?.version });
  expect(`git+${entry.repository.url}.git`).toBe(app?.repository?.url);
  expect(entry.repository.subfolder).toBe(app?.repository?.directory);
});

test('The entry for the MCP registry follows the rules of the registry', () => {
  expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(entry.title.length).toBeLessThanOrEqual(100);
  expect(entry.description.length).toBeLessThanOrEqual(100);
});

test('The entry for the MCP registry has only options and variables that the server supports', () => {
  const usage = execFileSync(process.execPath, [join(root, 'apps/stdio/dist/main.js'), '--help'], {
    encoding: 'utf8',
  });
  for (const { name } of [...(listed?.packageArguments ?? []), ...(listed?.environmentVariables ?? [])])
    expect(usage).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
});
