import type { Sessions, SessionStatus } from '@workflowlookup/core/sessions';
import { describe, expect, test } from 'vitest';
import { messages } from '../../src/messages.ts';
import type { ToolContext } from '../../src/tool-support/tool.ts';
import { getWorkflowStatus } from '../../src/tools/progress-tools.ts';
import { broken, unknown } from '../support/argument-messages.ts';
import { atMix, openBakery, stoppedAt } from '../support/bakery.ts';

const valid = { status: 'valid', warnings: [] };
const mixed = [
  { step_id: 'weigh', output: 'A kilo' },
  { step_id: 'ask', output: 'Asked' },
];

describe('the tools without a session', () => {
  test('include discover, which says how to begin, and later which sessions are open', async () => {
    const bakery = await openBakery();
    const first = await bakery.call('discover');
    expect(first.text).toMatch(/^server: workflowlookup\nversion: 1.2.3\n---\n/);
    expect(first.text).toContain('start_session');
    await atMix(bakery);
    const second = await bakery.call('discover');
    expect(second.text).toMatch(
      /^project: \/bakery\nopen_sessions\[1\]\{session_id,workflow_id,current_activity,updated_at\}/m,
    );
    expect(second.text).toContain('bakery,mix,');
  });

  test('include list_workflows, which names the workflows that can be started', async () => {
    const { call } = await openBakery();
    expect((await call('list_workflows')).json).toEqual({
      workflows: [{ id: 'bakery', title: 'Bakery', version: '1.2.0', tags: ['bread'] }],
    });
  });

  test('include health_check, which returns counts', async () => {
    const { call, pass } = await openBakery();
    pass(2000);
    expect((await call('health_check')).json).toEqual({
      status: 'healthy',
      version: '1.2.3',
      workflows_available: 1,
      problems: 0,
      uptime_seconds: 2,
    });
  });

  test('include resolve_operations, which shows each element with its fields on separate lines', async () => {
    const { call } = await openBakery();
    const { text } = await call('resolve_operations', {
      operations: ['bakery/baking::preheat', 'bakery/baking::clean-hands', 'baking::nothing'],
    });
    expect(text.split('\n').slice(0, 5)).toEqual([
      'operations[3]:',
      '  - source: baking',
      '    workflow: bakery',
      '    name: preheat',
      '    type: operation',
    ]);
    expect(text).toContain('    type: rule\n    body: Wash them first\n');
    expect(text).toContain('    type: not-found\n    ref: "baking::nothing"');
  });
});

describe('the tools of a session', () => {
  test('include start_session, which returns the token, the workflow and how the request was handled', async () => {
    const { call } = await openBakery();
    const fresh = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
    expect(fresh.json).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f]{20}$/),
      workflow: {
        id: 'bakery',
        version: '1.2.0',
        title: 'Bakery',
        description: 'From sack to loaf',
        digest: expect.stringMatching(/^sha256:/),
      },
      session_token: fresh.token,
    });
    expect(fresh.meta).toEqual({ session_token: fresh.token, validation: valid });
    const again = await call('start_session', { agent_id: 'baker', session_token: fresh.token });
    expect(again.json).toMatchObject({ inherited: true });
    // The description helps to choose a workflow, which is done by then.
    expect(again.json).toHaveProperty('workflow.title', 'Bakery');
    expect(again.json).not.toHaveProperty('workflow.description');
    const lost = await call('start_session', {
      agent_id: 'baker',
      workflow_id: 'bakery',
      session_token: 'x',
    });
    expect(lost.json).toMatchObject({ recovered: true, warning: expect.any(String) });
    expect(lost.text.split(String(lost.json['warning']))).toHaveLength(2);
  });

  test('include get_workflow, which returns a skill, the operations, and the token and summary after a line', async () => {
    const { call } = await openBakery();
    const { token } = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
    const { text, meta } = await call('get_workflow', { session_token: token });
    const [head = '', body = '', ...rest] = text.split('\n---\n');
    expect(rest).toEqual([]);
    expect(head).toMatch(/Bakes bread[\s\S]*\n\nbundle: [\s\S]*baking::preheat/);
    expect(body).toMatch(new RegExp(`^session_token: ${token}\nid: bakery\n`));
    expect(meta).toEqual({ session_token: token, validation: valid });
    const again = await call('get_workflow', { session_token: token, summary: false });
    expect(again.text).toMatch(/^bundle: unchanged /m);
    expect(again.text).toContain('skills:');
    const full = await call('get_workflow', { session_token: token, full: true });
    expect(full.text).toContain('Turn it on');
  });

  test('include next_activity, which enters an activity, warns in the text and in the metadata, and ends the session', async () => {
    const bakery = await openBakery();
    const token = await atMix(bakery);
    const wrong = await bakery.call('next_activity', {
      session_token: token,
      activity_id: 'bake',
      variables: { hot: true },
    });
    expect(wrong.json).toMatchObject({ activity_id: 'bake', name: 'Bake it', session_token: wrong.token });
    const { warnings } = wrong.meta['validation'] as { warnings: readonly string[] };
    expect(warnings.length).toBeGreaterThan(0);
    expect(wrong.meta).toMatchObject({ trace_token: expect.any(String), validation: { status: 'warning' } });
    expect(wrong.json['warnings']).toEqual(warnings);
    const end = await bakery.call('next_activity', {
      session_token: wrong.token,
      step_manifest: [{ step_id: 'watch', output: 'Brown' }],
    });
    expect(end.json).toMatchObject({ status: 'completed', completed_activities: ['mix', 'bake'] });
  });

  test('include next_activity, which refuses to bypass a person and names the legal moves', async () => {
    const bakery = await openBakery();
    const token = await atMix(bakery);
    const wrong = await bakery.call('next_activity', { session_token: token, activity_id: 'bake' });
    expect(wrong.isError).toBe(true);
    expect(wrong.meta['workflowlookup/error']).toMatchObject({
      name: 'ILLEGAL_TRANSITION',
      data: { reason: 'needs-person', checkpoint_id: 'taste', activity_id: 'mix' },
    });
    const { json } = await bakery.call('get_workflow_status', { session_token: token });
    expect(json).toMatchObject({ current_activity: 'mix', completed_activities: [] });
  });

  test('pass variables, conditions and manifests to the session', async () => {
    const bakery = await openBakery();
    const token = await atMix(bakery);
    const moved = await bakery.call('next_activity', {
      session_token: token,
      transition_condition: 'hot == true',
      step_manifest: mixed,
      activity_manifest: [{ activity_id: 'nowhere', outcome: 'done' }],
      variables: { hot: true },
    });
    expect(moved.json['activity_id']).toBe('bake');
    expect(JSON.stringify(moved.meta)).toContain('nowhere');
  });

  test('include get_activity, which returns the operations, and the token and the activity after a line', async () => {
    const bakery = await openBakery();
    const token = await atMix(bakery);
    const { text, meta } = await bakery.call('get_activity', { session_token: token });
    const body = text.split('\n---\n').at(-1) ?? '';
    expect(body).toMatch(new RegExp(`^session_token: ${token}\nid: mix\n`));
    expect(body).toContain('remaining[2]: weigh,ask');
    expect(meta).toEqual({ session_token: token, validation: valid });
  });

  test('include get_activity, which returns the current token to an agent with an old one', async () => {
    const bakery = await openBakery();
    const old = (await bakery.call('start_session', { agent_id: 'baker', workflow_id: 'bakery' })).token;
    const { token } = await bakery.call('next_activity', { session_token: old });
    const { text } = await bakery.call('get_activity', { session_token: old });
    const body = text.split('\n---\n').at(-1) ?? '';
    expect(body).toMatch(new RegExp(`^session_token: ${token}\nwarnings\\[1\\]: .*revision 1.*\nid: mix\n`));
  });

  test('include park, which returns the reason, the time until which the session is parked, and the token', async () => {
    const bakery = await openBakery();
    const request = { session_token: await atMix(bakery), reason: 'No flour' };
    const parked = await bakery.call('park', request);
    expect(parked.json).toEqual({ status: 'parked', reason: 'No flour', session_token: parked.token });
    const until = '2026-03-02T10:00:00.000Z';
    const again = await bakery.call('park', { ...request, session_token: parked.token, until });
    expect(again.json).toEqual({ status: 'parked', reason: 'No flour', until, session_token: again.token });
    expect(again.meta).toEqual({ session_token: again.token, validation: valid });
  });

  test('return skills, resources and the trace after a header with the token', async () => {
    const bakery = await openBakery();
    const token = await atMix(bakery);
    const skills = await bakery.call('get_skills', { session_token: token });
    expect(skills.text).toMatch(
      new RegExp(`^session_token: ${token}\nscope: workflow\n---\n[\\s\\S]*Bakes bread`),
    );
    const skill = await bakery.call('get_skill', { session_token: token, step_id: 'weigh' });
    expect(skill.text).toMatch(new RegExp(`^session_token: ${token}\n---\n[\\s\\S]*Bakes bread`));
    const resource = await bakery.call('get_resource', { session_token: token, resource_id: '01' });
    expect(resource.text).toMatch(
      new RegExp(`^session_token: ${token}\nid: ovens\nversion: 2.0.0\n---\n[\\s\\S]*stone`),
    );
    const trace = await bakery.call('get_trace', { session_token: token, trace_tokens: [] });
    expect(trace.json).toMatchObject({ source: 'store', event_count: 5, session_token: token });
    expect((trace.json['events'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'start_session',
      'next_activity',
      'get_skills',
      'get_skill',
      'get_resource',
    ]);
    const foreign = await bakery.call('get_trace', { session_token: token, trace_tokens: ['x'] });
    expect(foreign.json).toMatchObject({ source: 'tokens', events: [], token_errors: ['x'] });
  });
});

describe('get_workflow_status', () => {
  test('returns the possible next calls as they have to be made', async () => {
    const bakery = await openBakery();
    const token = await atMix(bakery);
    const { json } = await bakery.call('get_workflow_status', { session_token: token });
    expect(json).toEqual({
      status: 'active',
      current_activity: 'mix',
      completed_activities: [],
      workflow: { id: 'bakery', version: '1.2.0', title: 'Bakery' },
      next: expect.arrayContaining([
        { tool: 'get_activity', arguments: { session_token: token, full: true } },
        {
          tool: 'yield_checkpoint',
          arguments: { session_token: token, checkpoint_id: 'bake-now', include_checkpoint: true },
        },
      ]),
      session_token: token,
    });
    expect(json['next']).toContainEqual({
      tool: 'next_activity',
      arguments: {
        session_token: token,
        include_activity: true,
        step_manifest: [{ step_id: '<each of manifest_steps>', output: '<output>' }],
      },
      leads_to: 'end',
      manifest_steps: ['weigh', 'ask'],
    });
  });

  test('uses a placeholder for the token if it would become too long otherwise', async () => {
    const next = Array.from({ length: 6 }, (_, at) => ({ kind: 'yield', checkpoint: `ask-${at}` }) as const);
    const status: SessionStatus = {
      status: 'active',
      completed: [],
      skipped: [],
      workflow: { id: 'bakery', version: '1.0.0', title: 'Bakery' },
      children: [],
      variables: {},
      next,
    };
    const argumentsWith = async (token: string): Promise<unknown> => {
      const sessions = {
        status: () => Promise.resolve({ value: status, token, warnings: [] }),
      } as unknown as Sessions;
      const { json = {} } = await getWorkflowStatus.run({ sessions } as ToolContext, {
        session_token: token,
      });
      expect(JSON.stringify(json).length).toBeLessThanOrEqual(4000);
      const { next: calls } = json as { readonly next: readonly { readonly arguments: unknown }[] };
      expect(calls).toHaveLength(next.length);
      return calls[0]?.arguments;
    };
    expect(await argumentsWith('wl_short')).toEqual({ session_token: 'wl_short', checkpoint_id: 'ask-0' });
    expect(await argumentsWith('w'.repeat(700))).toEqual({
      session_token: '<session_token>',
      checkpoint_id: 'ask-0',
    });
  });

  test('offers the dismissal of a checkpoint whose condition is false, and no options', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'only-humid');
    const { json } = await bakery.call('get_workflow_status', { session_token: handle });
    expect(json).toMatchObject({
      next: [
        { tool: 'present_checkpoint' },
        { tool: 'respond_checkpoint', arguments: { condition_not_met: true } },
      ],
    });
    expect(JSON.stringify(json)).not.toContain('option_id');
  });

  test('returns the options of a waiting checkpoint, and later its answer', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'bake-now');
    const blocked = await bakery.call('get_workflow_status', { session_token: handle });
    expect(blocked.json).toMatchObject({
      status: 'blocked',
      next: [
        { tool: 'present_checkpoint', arguments: { session_token: handle }, checkpoint_id: 'bake-now' },
        {
          tool: 'respond_checkpoint',
          arguments: { session_token: handle, option_id: '<option_id>' },
          one_of: { option_id: ['yes', 'no'] },
        },
      ],
    });
    bakery.pass(3000);
    const { token } = await bakery.call('respond_checkpoint', {
      checkpoint_handle: handle,
      option_id: 'yes',
    });
    const after = await bakery.call('get_workflow_status', { session_token: token });
    expect(after.json).toMatchObject({
      last_checkpoint: {
        checkpoint_id: 'bake-now',
        activity_id: 'mix',
        option_id: 'yes',
        at: expect.any(String),
      },
      variables: { hot: true },
    });
  });

  test('says where a person can answer', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'taste');
    const { json } = await bakery.call('get_workflow_status', { session_token: handle });
    expect(json['next']).toContainEqual({
      tool: 'resume_checkpoint',
      arguments: { session_token: handle, include_activity: true, wait_ms: 50_000 },
      checkpoint_id: 'taste',
      waits_for: 'human',
      answered_by: 'person',
    });
  });

  test('includes the parent and the children', async () => {
    const bakery = await openBakery();
    const parent = await atMix(bakery);
    const child = await bakery.call('start_session', {
      agent_id: 'helper',
      workflow_id: 'bakery',
      parent_session_token: parent,
    });
    const below = await bakery.call('get_workflow_status', { session_token: child.token });
    const above = await bakery.call('get_workflow_status', { session_token: parent });
    expect(below.json['parent']).toEqual({
      session_id: expect.any(String),
      workflow_id: 'bakery',
      activity: 'mix',
      version: '1.2.0',
    });
    expect(above.json['children']).toEqual([
      { session_id: child.json['session_id'], workflow_id: 'bakery', status: 'active' },
    ]);
  });
});

describe('wrong arguments', () => {
  test.each([
    { tool: 'start_session', args: {}, says: messages.fieldRequired('agent_id') },
    {
      tool: 'start_session',
      args: { agent_id: 'a', workflow_id: 7 },
      says: broken('workflow_id', 7, 'type', { type: 'string' }),
    },
    { tool: 'get_workflow', args: {}, says: messages.fieldRequired('session_token') },
    { tool: 'discover', args: { goal: 'x' }, says: unknown('discover', 'goal') },
    {
      tool: 'resolve_operations',
      args: { operations: [] },
      says: broken('operations', [], 'minItems', { limit: 1 }),
    },
    {
      tool: 'resume_checkpoint',
      args: { session_token: 't', wait_ms: 60_000 },
      says: broken('wait_ms', 60_000, 'maximum', { limit: 50_000 }),
    },
    {
      tool: 'next_activity',
      args: { session_token: 't', step_manifest: [{ step_id: 'a' }] },
      says: messages.outputMissing('step_manifest.0'),
    },
    {
      tool: 'next_activity',
      args: { session_token: 't', step_manifest: [{ step_id: 'a', ouput: 'x', output: '' }] },
      says: messages.unknownArgument('step_manifest.0.ouput', 'output', []),
    },
  ])('of $tool are refused: $says', async ({ tool, args, says }) => {
    const { call } = await openBakery();
    expect(await call(tool, args)).toMatchObject({ isError: true, text: expect.stringContaining(says) });
  });
});
