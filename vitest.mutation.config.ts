import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { areas } from './scripts/support/mutation-areas.mjs';
import { publicPackages } from './scripts/support/workspace.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const area = areas[(process.env['WORKFLOWLOOKUP_MUTATION'] ?? 'conditions') as keyof typeof areas];

/** Maps our packages to their sources beside this file. It is in Stryker's copy of the repository, where nothing is linked. */
const alias = publicPackages().flatMap(({ folder, manifest }) =>
  Object.entries<Readonly<Record<string, string>>>(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const source = target['@workflowlookup/source'];
    if (source === undefined) return [];
    const find = new RegExp(`^${manifest.name}${subpath.slice(1)}$`);
    return [{ find, replacement: join(root, folder, source) }];
  }),
);

export default defineConfig({
  resolve: { alias },
  test: {
    include: area.tests.map((folder) => `${folder}/**/*.test.ts`),
    // Stryker adds code that counts which statements each test runs. It makes the tests several times slower.
    testTimeout: 60_000,
    exclude: [...area.without, 'fuzz.test.ts'].map((file) => `**/${file}`),
  },
});
