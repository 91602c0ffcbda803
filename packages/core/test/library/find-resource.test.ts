import { WorkflowError } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { findResource } from '../../src/library/library.ts';
import { partMessages } from '../../src/messages/lookup.ts';
import { bakery, broken, library, meta, mill, workflow } from '../support/bakery.ts';

const all = library(bakery, meta, mill);
const inBakery = { library: all, workflowId: 'bakery' };

function failureOf(resourceId: string, scope = inBakery): WorkflowError {
  try {
    findResource(scope, resourceId);
  } catch (error) {
    if (error instanceof WorkflowError) return error;
    throw error;
  }
  throw new Error(`${resourceId} was found`);
}

test.each([
  ['01', 'oven'],
  ['1', 'oven'],
  ['oven', 'oven'],
  ['flour', 'flour-types'],
  ['flour-types', 'flour-types'],
  ['02-flour', 'flour-types'],
  ['resources/02-flour.md', 'flour-types'],
  ['12', 'prices'],
  ['meta/01', 'calendar'],
  ['meta/calendar', 'calendar'],
  ['meta/resources/01-calendar.md', 'calendar'],
  ['mill/1', 'stones'],
  ['glossary', 'glossary'],
])('The id %s finds the resource %s', (resourceId, expected) => {
  expect(findResource(inBakery, resourceId).id).toBe(expected);
});

test.each([
  ['77', partMessages.noResource('77', ['bakery'], undefined, ['oven', 'flour-types', 'prices'])],
  ['44', partMessages.noResource('44', ['bakery'], undefined, ['oven', 'flour-types', 'prices'])],
  ['ovens', partMessages.noResource('ovens', ['bakery', 'meta'], 'oven', [])],
  ['nowhere/01', partMessages.noWorkflow('nowhere')],
  ['mill/02', partMessages.noResource('02', ['mill'], undefined, ['stones'])],
  ['mill/glossary', partMessages.noResource('glossary', ['mill'], undefined, ['stones'])],
])('The id %s is reported as not found', (resourceId, message) => {
  expect(failureOf(resourceId)).toMatchObject({ code: 'RESOURCE_NOT_FOUND', message, data: { resourceId } });
});

test.each(['', '/', '/01', '01/', '../01', '../bakery/01', 'meta/../bakery/01', 'bakery/', 'a/b/01', '..'])(
  'The path %j is reported as not found',
  (resourceId) => {
    expect(failureOf(resourceId).code).toBe('RESOURCE_NOT_FOUND');
  },
);

test.each(['toString', '__proto__', '__proto__/constructor'])(
  'The name %s, which every object has, is not a resource',
  (resourceId) => {
    expect(failureOf(resourceId).code).toBe('RESOURCE_NOT_FOUND');
  },
);

test('The workflow that lends an activity is searched before the workflow of the session', () => {
  const scope = { ...inBakery, lender: 'mill' };
  expect(findResource(scope, '01').id).toBe('stones');
  expect(findResource(scope, '02').id).toBe('flour-types');
});

test('A session of the meta workflow finds the resources of meta by number', () => {
  expect(findResource({ library: all, workflowId: 'meta' }, '44').id).toBe('glossary');
});

test.each(['03', '3', 'prices', 'cost'])(
  'The broken resource %s is reported with its error',
  (resourceId) => {
    const cost = broken('resource', 'cost', 'resources/03-prices.yaml');
    const torn = workflow('torn', { problems: [cost] });
    expect(failureOf(resourceId, { library: library(torn, meta), workflowId: 'torn' }).message).toBe(
      partMessages.broken(cost, cost.issues[0], 0),
    );
  },
);
