import { expect, test } from 'vitest';
import { resolveOperations } from '../../src/library/operations.ts';
import { bakery, broken, library, meta, mill, workflow } from '../support/bakery.ts';

const all = library(bakery, meta, mill);
const inBakery = { library: all, workflowId: 'bakery' };

function typesOf(refs: readonly string[], scope = inBakery): readonly string[] {
  return resolveOperations(refs, scope)
    .slice(0, refs.length)
    .map(({ type }) => type);
}

test('An operation is found before a rule, and a rule before an error', () => {
  expect(typesOf(['baker::knead', 'baker::warm-oven', 'baker::sticky'])).toEqual([
    'operation',
    'rule',
    'error',
  ]);
  expect(resolveOperations(['baker::steam', 'baker::clean-hands'], inBakery).slice(0, 2)).toMatchObject([
    { type: 'operation', body: { description: 'The operation called steam' } },
    { type: 'rule', body: 'Wash first' },
  ]);
});

test('Each reference gets one entry, in order and with all that is known about it', () => {
  const found = resolveOperations(['baker::rest', 'bakery/baker::nothing', 'baker::rest'], inBakery);
  const rest = {
    ref: 'baker::rest',
    source: 'baker',
    workflow: 'bakery',
    name: 'rest',
    type: 'operation',
    body: { description: 'Leave it alone' },
  };
  expect(found.slice(0, 3)).toEqual([
    rest,
    {
      ref: 'bakery/baker::nothing',
      source: 'baker',
      workflow: 'bakery',
      name: 'nothing',
      type: 'not-found',
    },
    rest,
  ]);
});

test('The other rules of a skill are appended once, with references that resolve anywhere', () => {
  const found = resolveOperations(['baker::rest', 'baker::warm-oven', 'bakery/baker::sticky'], inBakery);
  expect(found.slice(3)).toEqual([
    {
      ref: 'bakery/baker::clean-hands',
      source: 'baker',
      workflow: 'bakery',
      name: 'clean-hands',
      type: 'rule',
      body: 'Wash first',
    },
    expect.objectContaining({ ref: 'bakery/baker::steam', type: 'rule', body: 'The rule called steam' }),
  ]);
});

test('A skill in which nothing was found adds no rules', () => {
  expect(resolveOperations(['baker::nothing', 'ghost::knead'], inBakery)).toEqual([
    { ref: 'baker::nothing', source: 'baker', name: 'nothing', type: 'not-found' },
    { ref: 'ghost::knead', source: 'ghost', name: 'knead', type: 'not-found' },
  ]);
});

test.each([
  '',
  'baker',
  'baker::',
  '::knead',
  'baker:knead',
  'a/b/baker::knead',
  '/baker::knead',
  'baker::a::b',
])('The malformed reference %j is reported as not found', (ref) => {
  expect(resolveOperations([ref], inBakery)).toEqual([expect.objectContaining({ ref, type: 'not-found' })]);
});

test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
  'The inherited property %s is not an element',
  (name) => {
    expect(resolveOperations([`baker::${name}`], inBakery)).toEqual([
      { ref: `baker::${name}`, source: 'baker', name, type: 'not-found' },
    ]);
  },
);

test.each([
  ['the session first', { workflowId: 'bakery' }, 'bakery'],
  ['the lender before the session', { workflowId: 'bakery', lender: 'mill' }, 'mill'],
  ['the session where the lender has none', { workflowId: 'bakery', lender: 'nowhere' }, 'bakery'],
])('A reference without a prefix is looked up in %s', (_, scope, expected) => {
  expect(resolveOperations(['baker::knead'], { library: all, ...scope })[0]?.workflow).toBe(expected);
});

test('Meta is searched after the workflow of the session, and no other workflow is', () => {
  expect(resolveOperations(['baker::shared-only'], inBakery)[0]?.workflow).toBe('meta');
  expect(typesOf(['baker::knead'], { library: library(meta, mill), workflowId: 'other' })).toEqual([
    'not-found',
  ]);
});

test('Only meta is searched without a session', () => {
  const found = resolveOperations(['baker::knead', 'conduct::sweep'], { library: all });
  expect(found.map(({ type, workflow: id }) => [type, id])).toEqual([
    ['not-found', undefined],
    ['operation', 'meta'],
    ['rule', 'meta'],
  ]);
});

test('A reference with a prefix is looked up in the named workflow, then in meta', () => {
  const found = resolveOperations(['mill/baker::knead', 'mill/conduct::quiet', 'mill/baker::rest'], inBakery);
  expect(found.slice(0, 3).map(({ type, workflow: id }) => [type, id])).toEqual([
    ['operation', 'mill'],
    ['rule', 'meta'],
    ['not-found', 'mill'],
  ]);
});

test('A broken skill does not fall back to the skill of the same name in meta', () => {
  const torn = workflow('torn', { problems: [broken('skill', 'conduct', 'skills/01-conduct.yaml')] });
  expect(typesOf(['conduct::quiet'], { library: library(torn, meta), workflowId: 'torn' })).toEqual([
    'not-found',
  ]);
});

test('Resources are prefixed with their workflow unless it is the workflow of the session', () => {
  const resources = (workflowId?: string) =>
    resolveOperations(['bakery/baker::knead'], { library: all, workflowId })[0]?.body;
  expect(resources('bakery')).toMatchObject({ resources: ['01', 'resources/02-flour.md', 'meta/00'] });
  expect(resources()).toEqual({
    description: 'Fold until it stretches',
    resources: ['bakery/01', 'bakery/02-flour.md', 'meta/00'],
  });
});
