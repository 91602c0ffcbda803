import { compileCriteria, judge } from '@workflowlookup/validation';
import { expect, test } from 'vitest';
import type { Judge } from '../../../src/session/outputs/manifest.ts';
import { codeOf, enforcements, graph, manifest, said, walk } from '../../support/sessions.ts';
import { messages } from '../../../src/messages/sessions.ts';

const survey = graph([
  {
    id: 'survey',
    steps: [{ id: 'inspect' }, { id: 'count' }, { id: 'decide' }],
    loops: [
      {
        id: 'rows',
        name: 'Rows',
        type: 'forEach',
        variable: 'tree',
        over: 'trees',
        maxIterations: 9,
        steps: [{ id: 'prune' }, { id: 'tag' }],
      },
    ],
  },
]);
const trees = { variables: { trees: ['t1', 't2'] } };
const rows = ['rows@0::prune', 'rows@0::tag', 'rows@1::prune', 'rows@1::tag'];

test.each([
  ['no manifest', undefined, [[messages.noManifest('survey', ['inspect', 'count', 'decide', ...rows])]]],
  ['a step missing', ['inspect', 'decide', ...rows], [[messages.missingSteps(['count'])]]],
  [
    'a step of nowhere',
    ['inspect', 'count', 'decide', ...rows, 'sing'],
    [[messages.unexpectedSteps(['sing'], 'survey')]],
  ],
  [
    'steps out of order',
    ['count', 'inspect', 'decide', ...rows],
    [[messages.wrongOrder('inspect', 'count')]],
  ],
  ['a step twice', ['inspect', 'count', 'count', 'decide', ...rows], [[messages.stepTwice('count')]]],
  [
    'another loop',
    ['inspect', 'count', 'decide', ...rows, 'beds@0::prune'],
    [[messages.unexpectedSteps(['beds@0::prune'], 'survey')]],
  ],
  [
    'an iteration beyond the list',
    ['inspect', 'count', 'decide', ...rows, 'rows@2::prune'],
    [[messages.unexpectedSteps(['rows@2::prune'], 'survey')]],
  ],
  [
    'an iteration out of order',
    ['inspect', 'count', 'decide', 'rows@0::tag', 'rows@0::prune', 'rows@1::prune', 'rows@1::tag'],
    [[messages.wrongOrder('rows@0::prune', 'rows@0::tag')]],
  ],
])('%s is a warning, or refused if strict', (_, ids, expected) => {
  for (const enforcement of enforcements) {
    const session = walk(survey, { enforcement, ...trees });
    session.move();
    const decision = session.move(undefined, ids === undefined ? {} : manifest(...ids));
    expect(codeOf(decision)).toBe(enforcement === 'strict' ? 'MANIFEST_INVALID' : undefined);
    for (const [at, words] of expected.entries()) {
      for (const word of words) expect(said(decision)[at]).toContain(word);
    }
  }
});

test.each([
  [
    'iterations by name, in order within each',
    ['rows@1::prune', 'rows@0::prune', 'rows@0::tag', 'rows@1::tag'],
  ],
  ['bare steps of a loop, once for each iteration', ['prune', 'tag', 'prune', 'tag']],
  ['bare steps beside those of an iteration', ['prune', 'rows@1::prune', 'rows@0::tag', 'tag']],
])('A manifest may name %s', (_, more) => {
  const session = walk(survey, { enforcement: 'strict', ...trees });
  session.move();
  expect(said(session.move(undefined, manifest('inspect', 'count', 'decide', ...more)))).toEqual([]);
});

test('The refusal of a manifest with missing or misplaced steps names the required steps in order', () => {
  const due = messages.requiredSteps(['inspect', 'count', 'decide', ...rows]);
  const session = walk(survey, { enforcement: 'strict', ...trees });
  session.move();
  expect(said(session.move(undefined, manifest('inspect', 'decide')))[0]).toContain(due);
  expect(said(session.move(undefined, manifest('count', 'inspect', 'decide')))[0]).toContain(due);
  expect(said(session.move(undefined, manifest('sing')))[0]).not.toContain(due);
});

test('Each step after a later one is reported', () => {
  const session = walk(survey, trees);
  session.move();
  expect(said(session.move(undefined, manifest('decide', 'inspect', 'count', ...rows))).slice(0, 2)).toEqual([
    messages.wrongOrder('inspect', 'decide'),
    expect.stringContaining(messages.wrongOrder('count', 'decide')),
  ]);
});

test('A step with an empty output is reported', () => {
  const session = walk(survey, trees);
  session.move();
  const entries = ['inspect', 'count', 'decide', ...rows].map((id) => ({
    step_id: id,
    output: id === 'count' ? ' ' : 'x',
  }));
  expect(said(session.move(undefined, { manifest: entries }))).toEqual([messages.emptyOutput('count')]);
});

test.each([
  ['its `when` is false', { when: 'a == 1' }],
  ['its condition is false', { condition: 'a == 1' }],
  ['one of both is false', { when: 'a == 2', condition: 'a == 1' }],
  ['it is not required', { required: false }],
])('A step may be left out when %s', (_, fields) => {
  const session = walk(graph([{ id: 'one', steps: [{ id: 'must' }, { id: 'may', ...fields }] }]), {
    enforcement: 'strict',
    variables: { a: 2 },
  });
  session.move();
  expect(said(session.move(undefined, manifest('must')))).toEqual([]);
});

test('A step is required if an action of an earlier step makes its condition true', () => {
  const steps = [
    { id: 'find', actions: [{ action: 'set', target: 'found', value: true }] },
    { id: 'fix', when: 'found == true' },
  ] as const;
  const strict = walk(graph([{ id: 'one', steps }]), { enforcement: 'strict' });
  strict.move();
  expect(said(strict.move(undefined, manifest('find')))[0]).toContain(messages.missingSteps(['fix']));
  expect(strict.move(undefined, manifest('find', 'fix')).ok).toBe(true);
});

const criteria = { type: 'contains', value: 'finished', message: 'Say that it is finished' } as const;
const compiled = await compileCriteria(criteria);
const judging: Judge = (_, output, variables) => judge(compiled, output, variables);

test.each(enforcements)(
  'An output that does not meet its criteria is a warning, or refused if strict: %s',
  (enforcement) => {
    const steps = [{ id: 'report', validationCriteria: criteria }];
    const session = walk(graph([{ id: 'one', steps }]), { enforcement, judge: judging });
    session.move();
    const decision = session.move(undefined, { manifest: [{ step_id: 'report', output: 'Nearly there' }] });
    expect(said(decision)[0]).toContain(messages.outputRefused('report', [criteria.message]));
    expect(decision.ok).toBe(enforcement === 'advisory');
  },
);

test('The output of a step in a loop is checked with the item of its iteration', () => {
  const seen: unknown[] = [];
  const steps = [{ id: 'prune', validationCriteria: criteria }];
  const loops = [{ id: 'rows', name: 'R', type: 'forEach', variable: 'tree', over: 'trees', steps }] as const;
  const session = walk(graph([{ id: 'one', loops }]), {
    ...trees,
    judge(_, __, { tree }) {
      seen.push(tree);
      return undefined;
    },
  });
  session.move();
  session.move(undefined, manifest('rows@0::prune', 'rows@1::prune'));
  expect(seen).toEqual(['t1', 't2']);
});

test('The actions of steps in loops see the item of their iteration', () => {
  const actions = [{ action: 'set', target: 'found', value: true, condition: 'tree == "t2"' }] as const;
  const loops = [
    {
      id: 'rows',
      name: 'R',
      type: 'forEach',
      variable: 'tree',
      over: 'trees',
      steps: [{ id: 'look', actions }],
    },
  ] as const;
  const found = [['t1'], ['t1', 't2']].map((items) => {
    const session = walk(graph([{ id: 'one', loops }]), { variables: { trees: items } });
    session.move();
    session.move(undefined, manifest(...items.map((_, at) => `rows@${at}::look`)));
    return session.state.variables['found'];
  });
  expect(found).toEqual([undefined, true]);
});

test('A message lists at most 60 unexpected steps', () => {
  const session = walk(graph([{ id: 'one' }]));
  session.move();
  const ids = Array.from({ length: 100 }, (_, at) => `stranger-${at}`);
  const [message = ''] = said(session.move('end', manifest(...ids)));
  expect(message.match(/stranger-/g)).toHaveLength(60);
  expect(message).toContain('40 more');
});

test('Outputs of one call that are too long together are refused in every session', () => {
  const longest = 2_097_152;
  for (const enforcement of enforcements) {
    const session = walk(
      graph([{ id: 'one', steps: [{ id: 'a' }, { id: 'b' }], transitions: [{ to: 'two' }] }, { id: 'two' }]),
      { enforcement },
    );
    session.move('one');
    const entry = (id: string, length: number) => ({ step_id: id, output: 'x'.repeat(length) });
    const refused = session.move('two', { manifest: [entry('a', longest), entry('b', 1)] });
    expect(codeOf(refused)).toBe('INVALID_INPUT');
    expect(refused).toMatchObject({ data: { limit: longest } });
    expect(
      codeOf(session.move('two', { manifest: [entry('a', longest - 1), entry('b', 1)] })),
    ).toBeUndefined();
  }
});
