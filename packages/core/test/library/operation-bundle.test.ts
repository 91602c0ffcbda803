import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  coreOperations,
  defaultOperations,
  bundleText,
  orchestratorBundle,
  nameOf,
  workerBundle,
} from '../../src/library/operations.ts';
import type { OperationBundle } from '../../src/library/operations.ts';
import { activity, bakery, library, meta, mill, skill, workflow } from '../support/bakery.ts';

const all = library(bakery, meta, mill);
const [mix] = bakery.activities;

function refsOf({ entries }: OperationBundle): readonly string[] {
  return entries.map(({ ref, type }) => `${type} ${ref}`);
}

test('An orchestrator gets the operations of the workflow, the core set, and the rules of both', () => {
  expect(refsOf(orchestratorBundle(all, bakery))).toEqual([
    'operation baker::knead',
    'rule meta/conduct::quiet',
    'operation engine::lead',
    'rule bakery/baker::clean-hands',
    'rule bakery/baker::warm-oven',
    'rule bakery/baker::steam',
  ]);
});

test('A worker gets the operations of the activity, and those that were not found are shown', () => {
  expect(refsOf(workerBundle(all, bakery, mix)).slice(0, 3)).toEqual([
    'operation baker::rest',
    'not-found baker::vanish',
    'operation engine::work',
  ]);
});

test('References of a core set that do not resolve are left out, unless the workflow declares them', () => {
  expect(refsOf(orchestratorBundle(all))).toEqual(['operation engine::lead']);
  const eager = workflow('eager', { definition: { operations: ['engine::missing'] } });
  expect(refsOf(orchestratorBundle(all, eager))).toContain('not-found engine::missing');
});

test('An element is included once, however many references lead to it', () => {
  const twice = workflow('bakery', {
    definition: { operations: ['baker::rest', 'bakery/baker::rest', 'baker::rest'] },
    skills: bakery.skills,
  });
  expect(refsOf(orchestratorBundle(library(twice), twice)).filter((ref) => ref.includes('rest'))).toEqual([
    'operation baker::rest',
  ]);
});

test('A borrowed activity gets the operations of the workflow that lends it', () => {
  const borrowed = activity({ id: 'grind', operations: ['baker::knead'] }, { lender: 'mill' });
  expect(workerBundle(all, bakery, borrowed).entries[0]?.body).toEqual({ description: 'Knead at the mill' });
});

test('Equal bundles have the same digest, and others have different ones', () => {
  const same = orchestratorBundle(library(meta, bakery), bakery);
  expect(same.digest).toBe(orchestratorBundle(all, bakery).digest);
  expect(same.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(workerBundle(all, bakery, mix).digest).not.toBe(same.digest);
});

test('The text of a bundle is TOON, with the start of the digest first', async () => {
  const bundle = orchestratorBundle(all, bakery);
  const text = await bundleText(bundle);
  expect(text).toContain(
    `bundle: "${bundle.digest.slice(0, 15)}"\noperations[6]:\n  - ref: "baker::knead"\n    type: operation`,
  );
  expect(text).toContain(
    '  - ref: "bakery/baker::warm-oven"\n    type: rule\n    body[2]: Heat it early,Keep it shut',
  );
  expect(await bundleText({ entries: [], digest: 'sha256:0' })).toBe('bundle: "sha256:0"\noperations: []');
});

test('A bundle is named by the beginning of its digest', () => {
  expect(nameOf('sha256:0123456789')).toBe('sha256:01234567');
});

test('Each core set comes from meta if it has one, and else from the defaults', () => {
  const half = workflow('meta', {
    definition: { operationsFor: { worker: [] } },
    skills: [skill({ id: 'x' })],
  });
  expect(coreOperations(library(half), 'worker')).toEqual([]);
  expect(coreOperations(library(half), 'orchestrator')).toBe(defaultOperations.orchestrator);
  expect(coreOperations(library(), 'worker')).toBe(defaultOperations.worker);
  expect(coreOperations(all, 'worker')).toEqual(['engine::work']);
});

test('The defaults are the sets of the bundled meta workflow', async () => {
  const file = new URL('../../../../workflows/definitions/meta/workflow.yaml', import.meta.url);
  const [sets = ''] = (await readFile(file, 'utf8')).split('\n  solo:');
  const listed = sets.matchAll(/^ {4}- (\S+::\S+)$/gm);
  expect([...listed].map(([, ref]) => ref)).toEqual([
    ...defaultOperations.orchestrator,
    ...defaultOperations.worker,
  ]);
});
