import { expect, test } from 'vitest';
import { namedByOperations, namedByResource, neededWorkflows } from '../../src/library/library.ts';
import { activity, bakery, meta, workflow } from '../support/bakery.ts';

const own = activity({ id: 'own', operations: ['shop/till::count', 'baker::knead'] });
const borrowed = activity({ id: 'grind' }, { lender: 'mill' });
const flow = workflow('flow', {
  definition: { operations: ['farm/crop::sow', 'flow/self::x', 'not a reference'] },
  activities: [own, borrowed],
});

test('A workflow needs meta, the workflows of its borrowed activities and those in its references, but not itself', () => {
  expect(new Set(neededWorkflows(flow))).toEqual(new Set(['meta', 'mill', 'farm', 'shop']));
  expect(neededWorkflows(bakery)).toEqual(['meta']);
});

test('One activity needs only what it and the workflow name', () => {
  expect(neededWorkflows(flow, own)).toEqual(['meta', 'farm', 'shop']);
  expect(neededWorkflows(flow, borrowed)).toEqual(['meta', 'mill', 'farm']);
});

test('A workflow needs the workflows in the names of its skills', () => {
  const part = activity({
    id: 'part',
    skills: { primary: 'one/a' },
    steps: [
      { id: 'step', skill: 'two/b' },
      { id: 'bare', skill: 'c' },
    ],
    loops: [{ id: 'loop', name: 'Loop', type: 'while', steps: [{ id: 'turn', skill: 'three/d' }] }],
  });
  const skilled = workflow('skilled', { definition: { skills: { primary: 'four/e' } }, activities: [part] });
  expect(new Set(neededWorkflows(skilled))).toEqual(new Set(['meta', 'one', 'two', 'three', 'four']));
});

test('The meta workflow needs what its core sets name', () => {
  const wide = workflow('meta', {
    definition: { operationsFor: { orchestrator: ['one/a::b'], worker: ['two/a::b'] } },
  });
  expect(neededWorkflows(wide)).toEqual(['one', 'two']);
  expect(neededWorkflows(meta)).toEqual([]);
});

test('The workflows in references from a caller are found', () => {
  expect(namedByOperations(['mill/a::b', 'a::b', 'mill/a::c', 'shop/x', ''])).toEqual(['mill']);
  expect(namedByResource('meta/01')).toBe('meta');
  expect(namedByResource('01')).toBeUndefined();
  expect(namedByResource('meta/../01')).toBeUndefined();
});
