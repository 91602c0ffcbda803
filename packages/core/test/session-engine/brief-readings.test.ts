import type { StepWorkflowDefinition } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import { expect, it } from 'vitest';
import { activityWorkflow } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';
import { openTestServer } from '../support/test-server.ts';

const checkpoint = (id: string) => ({
  id,
  name: id,
  message: 'Well?',
  options: [{ id: 'yes', label: 'Yes' }],
});
const small = activityWorkflow(
  [
    {
      id: 'size',
      steps: [
        { id: 'measure' },
        { id: 'split', condition: 'large == true', checkpoint: 'split-it' },
        { id: 'later', condition: 'found == true', description: 'If you found it' },
        { id: 'ask', checkpoint: 'go' },
      ],
      checkpoints: [
        checkpoint('split-it'),
        {
          ...checkpoint('go'),
          options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { found: true } } }],
        },
      ],
      artifacts: [{ id: 'notes', name: '{topic}.md', location: 'work' }],
      transitions: [{ to: 'close' }],
    },
    { id: 'close', artifacts: [{ id: 'report', name: 'report.md' }] },
  ],
  {
    variables: [
      { name: 'large', type: 'boolean', defaultValue: false },
      { name: 'found', type: 'boolean' },
      { name: 'topic', type: 'string', defaultValue: 'bread' },
    ],
    artifactLocations: { work: { path: '.work' } },
  },
);

async function begun({ sessions }: TestServer) {
  return sessions.start({ agentId: 'solo', workflowId: 'graph', includeActivity: true });
}

function bodyOf({ value }: Awaited<ReturnType<typeof begun>>): string {
  return value.arrival?.kind === 'activity' ? value.arrival.activity.body : '';
}

it('a step with a false condition is not described, and neither is its checkpoint', async () => {
  const server = openTestServer([small]);
  const started = await begun(server);
  const body = bodyOf(started);
  expect(body).not.toContain('split');
  // Earlier steps of the activity can make this step required.
  expect(body).toContain('later');
  const whole = await server.sessions.activity(started.token, { full: false });
  expect(whole.value.body).toContain('split-it');
  const again = await server.sessions.activity(started.token, { full: true });
  expect(again.value.body).toBe(body);
});

it('the answer of a person is in the activity and in the status, with the variables it set', async () => {
  const server = openTestServer([small]);
  const started = await begun(server);
  const { sid } = started.value;
  const asked = await server.sessions.yield(started.token, 'go');
  await server.person('ana').respond(sid, { mode: { kind: 'option', option: 'yes' }, note: 'Use spelt' });
  const resumed = await server.sessions.resume(asked.token, undefined, { includeActivity: true });
  const { body = '' } = resumed.value.reading ?? {};
  expect(body).toMatch(/^remaining\[2\]: measure,later$/m);
  expect(body.slice(body.indexOf('\nanswered['))).toMatch(
    /answered_by[^]*\bperson\b[^]*\bana\b[^]*Use spelt[^]*true/,
  );
  const { value } = await server.sessions.status(resumed.token);
  expect(value).toMatchObject({
    isAlone: true,
    lastAnswer: {
      answeredBy: 'person',
      person: 'ana',
      note: 'Use spelt',
      effect: { setVariable: { found: true } },
    },
  });
  expect(value).not.toHaveProperty('artifacts');
});

it('the status names the files of completed activities, and stays short after long answers', async () => {
  const server = openTestServer([small]);
  const started = await begun(server);
  const asked = await server.sessions.yield(started.token, 'go');
  const note = 'Long words. '.repeat(166);
  await server.person('ana').respond(started.value.sid, { mode: { kind: 'option', option: 'yes' }, note });
  const manifest = ['measure', 'later', 'ask'].map((id) => ({ step_id: id, output: 'Done' }));
  const moved = await server.sessions.move((await server.sessions.resume(asked.token)).token, { manifest });
  const { value } = await server.sessions.status(moved.token);
  expect(value.artifacts).toEqual(['.work/01-bread.md']);
  expect(JSON.stringify(value).length).toBeLessThan(3000);
  expect(value.lastAnswer?.note).toMatch(/^Long words\./);
});

it('does not give one of two agents the instructions for a lone agent', async () => {
  const server = openTestServer([small]);
  const started = await begun(server);
  const other = await server.sessions.start({ agentId: 'second', sessionToken: started.value.sid });
  expect((await server.sessions.status(other.token)).value).not.toHaveProperty('isAlone');
});

it('a step of a step workflow is shown once, with the id that the manifest expects', async () => {
  const definition: StepWorkflowDefinition = {
    id: 'rounds',
    name: 'Rounds',
    description: 'Goes round twice.',
    version: '1.0.0',
    steps: [
      {
        type: 'loop',
        id: 'twice',
        title: 'Twice',
        loop: { type: 'for', count: 2, maxIterations: 2 },
        body: [
          {
            id: 'turn',
            title: 'Turn',
            prompt: 'Turn round.',
            guidance: ['Slowly.', 'Look behind you.'],
            requireConfirmation: true,
            approver: 'human',
          },
        ],
      },
    ],
  };
  const server = openTestServer([{ kind: 'steps', id: 'rounds', digest: digestOf(definition), definition }]);
  const request = { agentId: 'solo', workflowId: 'rounds', includeActivity: true };
  const started = await server.sessions.start(request);
  const body = bodyOf(started);
  expect(body).toMatch(/^step_id: "twice@0::turn"\ntitle: Turn\n/);
  expect(body).toMatch(/^guidance\[2\]: Slowly\.,Look behind you\.$/m);
  expect(body).toMatch(/^checkpoints\[1\]:\n {2}- id: confirm\n[^]* {4}answered_by: person$/m);
  expect(body.match(/Slowly/g)).toHaveLength(1);
  expect(body).not.toMatch(/^(id|remaining|approver|requires?Confirmation)\b/m);
});
