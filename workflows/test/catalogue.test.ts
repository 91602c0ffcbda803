import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import catalogue from '../catalogue.json' with { type: 'json' };
import { readCatalogue } from './support/read-catalogue.ts';

test("The catalogue matches the definitions ('node scripts/run.mjs catalogue' updates it)", async () => {
  const definitions = fileURLToPath(new URL('../definitions/', import.meta.url));
  expect(catalogue).toEqual(await readCatalogue(definitions));
});
