import { WorkflowError } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import {
  findSkill,
  primarySkill,
  skillForActivity,
  skillForStep,
  skillForWorkflow,
} from '../../src/library/library.ts';
import { activity, bakery, broken, library, meta, mill, skill, workflow } from '../support/bakery.ts';
import { partMessages, partOwners } from '../../src/messages/lookup.ts';

const all = library(bakery, meta, mill);
const [mix, bake] = bakery.activities as [(typeof bakery.activities)[0], (typeof bakery.activities)[0]];
const atMix = { library: all, workflow: bakery, activity: mix };

function failureOf(action: () => unknown): WorkflowError {
  try {
    action();
  } catch (error) {
    if (error instanceof WorkflowError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('A skill is looked up in the lending workflow, in that of the session, and then in meta', () => {
  const scope = { library: all, workflowId: 'bakery' };
  expect(findSkill(scope, 'baker')).toMatchObject({ found: true, workflow: 'bakery' });
  expect(findSkill({ ...scope, lender: 'mill' }, 'baker')).toMatchObject({ found: true, workflow: 'mill' });
  expect(findSkill({ ...scope, lender: 'mill' }, 'conduct')).toMatchObject({ found: true, workflow: 'meta' });
  expect(findSkill({ library: all }, 'baker')).toMatchObject({ found: true, workflow: 'meta' });
});

test('A skill with the name of a workflow is looked up there, then in meta', () => {
  const scope = { library: all, workflowId: 'bakery' };
  expect(findSkill(scope, 'mill/baker')).toMatchObject({ found: true, workflow: 'mill' });
  expect(findSkill(scope, 'mill/conduct')).toMatchObject({ found: true, workflow: 'meta' });
  expect(findSkill(scope, 'nowhere/mason')).toEqual({
    found: false,
    reason: partMessages.noSkill('mason', ['nowhere', 'meta'], undefined),
  });
});

test('The error for a missing skill names the searched workflows and a suggestion', () => {
  expect(findSkill({ library: all, workflowId: 'bakery' }, 'bakers')).toEqual({
    found: false,
    reason: partMessages.noSkill('bakers', ['bakery', 'meta'], 'baker'),
  });
});

test.each(['toString', 'constructor', '__proto__'])('%s is not a skill, a workflow or a step', (name) => {
  expect(findSkill({ library: all, workflowId: name, lender: name }, name).found).toBe(false);
  expect(failureOf(() => skillForStep(atMix, name)).code).toBe('STEP_NOT_FOUND');
});

test('A broken skill hides the one in meta, and the error names its problem', () => {
  const conduct = broken('skill', 'conduct', 'skills/01-conduct.yaml');
  const torn = workflow('torn', {
    definition: { skills: { primary: 'conduct' } },
    problems: [conduct],
  });
  const error = failureOf(() => skillForWorkflow(library(torn, meta), torn));
  expect(error.code).toBe('SKILL_NOT_FOUND');
  const problem = partMessages.broken(conduct, conduct.issues[0], 0);
  expect(error.message).toBe(
    partMessages.skillUnusable('primary skill', partOwners.workflow('torn'), problem),
  );
});

test('A workflow that names no primary skill has none', () => {
  expect(skillForWorkflow(all, bakery).id).toBe('baker');
  expect(primarySkill(all, bakery)).toMatchObject({ found: true, workflow: 'bakery' });
  expect(primarySkill(all, mill)).toBeUndefined();
  expect(failureOf(() => skillForWorkflow(all, mill))).toMatchObject({
    code: 'SKILL_NOT_FOUND',
    message: partMessages.noSkillNamed('primary skill', partOwners.workflow('mill')),
  });
});

test('A missing primary skill is returned as not found instead of thrown if it only needs a warning', () => {
  const wishful = workflow('wishful', { definition: { skills: { primary: 'ghost' } } });
  expect(primarySkill(all, wishful)).toMatchObject({ found: false });
});

test('The primary skill of an activity is looked up first in the workflow that lends it', () => {
  expect(skillForActivity(atMix).id).toBe('baker');
  const borrowed = activity({ id: 'grind', skills: { primary: 'baker' } }, { lender: 'mill' });
  expect(skillForActivity({ ...atMix, activity: borrowed })).toBe(mill.skills[0]);
  expect(failureOf(() => skillForActivity({ ...atMix, activity: bake }))).toMatchObject({
    code: 'SKILL_NOT_FOUND',
    message: partMessages.noSkillNamed('primary skill', partOwners.activity('bake')),
  });
});

test.each([
  ['weigh', 'baker'],
  ['fold', 'conduct'],
  ['rounds@3::fold', 'conduct'],
])('Step %s has the skill that it names', (stepId, expected) => {
  expect(skillForStep(atMix, stepId).id).toBe(expected);
});

test.each([
  ['taste', 'SKILL_NOT_FOUND', partMessages.noSkillNamed('skill', partOwners.step('taste', 'mix'))],
  [
    'stir',
    'SKILL_NOT_FOUND',
    partMessages.skillUnusable(
      'skill',
      partOwners.step('stir', 'mix'),
      partMessages.noSkill('lost-skill', ['bakery', 'meta'], undefined),
    ),
  ],
  [
    'dance',
    'STEP_NOT_FOUND',
    partMessages.noStepInActivity('mix', 'dance', ['weigh', 'stir', 'taste', 'fold']),
  ],
  [
    'other@0::fold',
    'STEP_NOT_FOUND',
    partMessages.noStepInActivity('mix', 'other@0::fold', ['weigh', 'stir', 'taste', 'fold']),
  ],
])('Asking for the skill of step %s fails', (stepId, code, message) => {
  expect(failureOf(() => skillForStep(atMix, stepId))).toMatchObject({ code, message });
});

test('The error for a step names no alternatives if the activity has no steps', () => {
  expect(failureOf(() => skillForStep({ ...atMix, activity: bake }, 'rise')).message).toBe(
    partMessages.noStepInActivity('bake', 'rise', []),
  );
});

test('The first of two skills with the same id is used', () => {
  const [first, second] = [skill({ id: 'twin' }), skill({ id: 'twin' })];
  const flow = workflow('flow', { skills: [first, second] });
  const search = findSkill({ library: library(flow), workflowId: 'flow' }, 'twin');
  expect(search.found && search.skill).toBe(first);
});
