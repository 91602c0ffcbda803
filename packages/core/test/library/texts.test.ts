import { expect, test } from 'vitest';
import {
  activityText,
  definitionText,
  fillTitle,
  joinSections,
  presentCheckpoint,
  summaryText,
  workflowSummary,
} from '../../src/library/texts.ts';
import { activity, bakery, skill, workflow } from '../support/bakery.ts';

test('A summary has what an orchestrator needs at first, and only the ids and names of the activities', () => {
  expect(workflowSummary(bakery)).toEqual({
    id: 'bakery',
    version: '2.1.0',
    title: 'Title of bakery',
    description: 'Bread from flour',
    rules: ['Nothing burns'],
    variables: [{ name: 'loaves', type: 'number', defaultValue: 2 }],
    initialActivity: 'mix',
    activities: [
      { id: 'mix', name: 'Name of mix', required: true },
      { id: 'bake', name: 'Name of bake', required: false },
    ],
  });
});

test('A summary leaves out what the author left out', () => {
  expect(workflowSummary(workflow('bare'))).toEqual({
    id: 'bare',
    version: '1.0.0',
    title: 'Title of bare',
    activities: [],
  });
  expect(workflowSummary(workflow('named', { definition: { initialActivity: 'b' } })).initialActivity).toBe(
    'b',
  );
});

test('The summary is TOON', async () => {
  const text = await summaryText(bakery);
  expect(text).toContain('initialActivity: mix\nactivities[2]{id,name,required}:\n  mix,Name of mix,true');
  expect(text).not.toContain('weigh');
});

test('A whole definition is its file if that is TOON, and otherwise converted to TOON', async () => {
  expect(await definitionText(workflow('raw', { toon: 'id: raw\n# as written' }))).toBe(
    'id: raw\n# as written',
  );
  expect(await definitionText(workflow('made'))).toBe('id: made\nversion: 1.0.0\ntitle: Title of made');
});

test('An activity is complete, with its remaining steps and the paths of its artifacts', async () => {
  const part = activity({ id: 'mix', steps: [{ id: 'weigh' }, { id: 'stir' }] });
  expect(await activityText(part, { remaining: ['stir'] })).toBe(
    'version: 1.0.0\nname: Name of mix\nid: mix\nsteps[2]{id}:\n  weigh\n  stir\nremaining[1]: stir',
  );
  const raw = activity({ id: 'mix' }, { format: 'toon', text: 'id: mix\nname: As written\n' });
  const artifacts = [{ id: 'list', path: 'shelf/01-list.md' }];
  expect(await activityText(raw, { remaining: [], artifacts })).toBe(
    'id: mix\nname: As written\nremaining: []\nartifactPaths[1]{id,path}:\n  list,shelf/01-list.md',
  );
});

test('A skill is its file if that is TOON, and otherwise converted to TOON', async () => {
  expect(await definitionText(skill({ id: 'x' }, { format: 'toon', text: 'id: x' }))).toBe('id: x');
  expect(await definitionText(skill({ id: 'x' }, { format: 'yaml', text: 'id: x # yaml' }))).toContain(
    'capability: Capability of x',
  );
});

test('Sections are separated by a line of dashes, and empty sections are left out', () => {
  expect(joinSections('a\n\n', '', 'b', '  \n')).toBe('a\n---\nb');
  expect(joinSections('')).toBe('');
});

test('A value in a title is shortened to one line, and the message has all of it', () => {
  const notes = `1.4.0\n\n- ${'fixes a lot '.repeat(20)}`;
  const short = `1.4.0 - ${'fixes a lot '.repeat(6)}`.slice(0, 79);
  const shown = presentCheckpoint(
    {
      id: 'publish',
      name: 'Publish {notes}',
      message: 'Publish {notes}?',
      options: [{ id: 'yes', label: 'Yes, {notes}' }],
      approver: 'human',
    },
    { notes },
  );
  expect(shown).toMatchObject({
    name: `Publish ${short}…`,
    message: `Publish ${notes}?`,
    options: [{ label: `Yes, ${short}…` }],
  });
  expect(fillTitle('Publish {notes} of {cart}', { notes })).toBe(`Publish ${short}… of {cart}`);
  const [name = ''] = fillTitle('{name}', { name: '🛒'.repeat(90) }).split('…');
  expect(name).toBe('🛒'.repeat(39));
});
