import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PreparedSession } from './prepared-sessions.ts';
import { prepareSession, sharedSessions } from './prepared-sessions.ts';
import { drafted, output, releaseFiles } from '../support/release-workflow.ts';
import type { ServedHost } from '../support/served-host.ts';
import { serveHost } from '../support/served-host.ts';
import { expectRefusal, sessionStatus } from '../support/session-status.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';
import { variants } from './variants.ts';

const gatedWrites: readonly (readonly [tool: string, args: object])[] = [
  ['next_activity', { activity_id: 'sign', step_manifest: drafted }],
  ['yield_checkpoint', { checkpoint_id: 'go' }],
  ['respond_checkpoint', { option_id: 'yes' }],
  ['resume_checkpoint', {}],
  ['present_checkpoint', {}],
  ['get_workflow_status', {}],
  ['get_trace', {}],
];

describe.each(variants)('a token, with $tokens tokens, $enforcement', ({ tokens, enforcement }) => {
  let folder: StateFolder;
  let server: ServedHost;
  let sessionAt: ReturnType<typeof sharedSessions>;

  beforeAll(async () => {
    folder = await stateFolder(releaseFiles);
    server = serveHost({ ...folder.host, tokens, enforcement });
    sessionAt = sharedSessions(server);
  });

  afterAll(async () => {
    await server.close();
    await folder.dispose();
  });

  /** Returns forged and malformed tokens of a session. */
  async function forgeries({ sid, token, tokens: all }: PreparedSession): Promise<readonly string[]> {
    const strangers = serveHost({
      ...folder.host,
      tokens,
      enforcement,
      environment: { WORKFLOWLOOKUP_KEYS: 'ab'.repeat(32) },
    });
    const adopted = await strangers.call('start_session', { agent_id: 'agent', session_token: sid });
    await strangers.close();
    expect(adopted.token).not.toBe('');
    const before = all.at(-2) ?? '';
    return [
      adopted.token,
      ...(tokens === 'reference' ? patchedReferences(token) : patchedPayloads(token, before)),
      `${token} `,
      ` ${token}`,
      `${token}\n`,
      `${token}A`,
      token.slice(0, -1),
      token.toUpperCase(),
      '',
      sid,
      'wl_',
      '__proto__',
      '{"sid":"x"}',
    ];
  }

  test('opens nothing if it was forged', async () => {
    const prepared = await sessionAt('gate');
    const before = await sessionStatus(server, prepared.token);
    for (const forged of await forgeries(prepared)) {
      for (const [tool, args] of gatedWrites) {
        const shown = /^(respond|present)/.test(tool) ? 'checkpoint_handle' : 'session_token';
        const answer = await server.call(tool, { [shown]: forged, ...args });
        expectRefusal(answer, { code: 'TOKEN_INVALID', names: 'session token', root: folder.root });
      }
    }
    expect(await sessionStatus(server, prepared.token)).toEqual(before);
  });

  test('resumes the stored session or starts a new one if it was forged', async () => {
    const prepared = await sessionAt('gate');
    const before = await sessionStatus(server, prepared.token);
    for (const forged of await forgeries(prepared)) {
      const answer = await server.call('start_session', {
        agent_id: 'thief',
        workflow_id: 'release',
        session_token: forged,
      });
      expect(answer, answer.raw).toMatchObject({ isError: false });
      const isHere = answer.json['session_id'] === prepared.sid;
      const found = await sessionStatus(server, answer.token);
      expect(found).toMatchObject(isHere ? before : { status: 'active', completed_activities: [] });
      // A genuine token with spaces around it is not forged.
      const isGenuine = forged.trim() === prepared.token;
      expect(answer.json['adopted']).toBe(isHere && !isGenuine ? true : undefined);
      expect(answer.json['recovered']).toBe(isHere ? undefined : true);
      expect(typeof answer.json['warning']).toBe(isGenuine ? 'undefined' : 'string');
    }
    expect(await sessionStatus(server, prepared.token)).toEqual(before);
  });

  test('cannot start a child session if it was forged', async () => {
    const prepared = await sessionAt('gate');
    for (const forged of await forgeries(prepared)) {
      const answer = await server.call('start_session', {
        agent_id: 'worker',
        workflow_id: 'errand',
        parent_session_token: forged,
      });
      const names = 'parent_session_token';
      expectRefusal(answer, { code: 'TOKEN_INVALID', names, root: folder.root });
    }
    expect(await sessionStatus(server, prepared.token)).not.toHaveProperty('children', [expect.anything()]);
  });

  test('cannot answer a checkpoint of another session', async () => {
    const [here, other] = [await sessionAt('gate'), await prepareSession(server, 'gate')];
    const before = await sessionStatus(server, here.token);
    const args = { checkpoint_handle: other.token, session_token: here.token };
    expect((await server.call('respond_checkpoint', { ...args, option_id: 'yes' })).isError).toBe(false);
    expect(await sessionStatus(server, here.token)).toEqual(before);
  });

  test('of an older revision only repeats its own write', async () => {
    const { tokens: all, token } = await sessionAt('sign');
    const before = await sessionStatus(server, token);
    const [begun = '', , , declined = ''] = all;
    const again = await server.call('next_activity', { session_token: begun, activity_id: 'draft' });
    expect(again).toMatchObject({ isError: false, json: { activity_id: 'draft' } });
    const others: readonly (readonly [token: string, tool: string, args: object])[] = [
      [begun, 'next_activity', { activity_id: 'ship' }],
      [begun, 'next_activity', { activity_id: 'draft', variables: { urgent: true } }],
      [declined, 'next_activity', { activity_id: 'sign', step_manifest: [{ step_id: 'write', output }] }],
      [declined, 'yield_checkpoint', { checkpoint_id: 'firm' }],
    ];
    for (const [old, tool, args] of others) {
      const answer = await server.call(tool, { session_token: old, ...args });
      expectRefusal(answer, { code: 'SESSION_CONFLICT', names: "in activity 'sign'", root: folder.root });
      expect(await sessionStatus(server, answer.token)).toEqual(before);
    }
    expect(await sessionStatus(server, token)).toEqual(before);
  });

  test('for a trace shows only the calls of its own session', async () => {
    const here = await prepareSession(server, 'approved');
    const left = await server.call('next_activity', {
      session_token: here.token,
      activity_id: 'sign',
      step_manifest: drafted,
    });
    const traceToken = String(left.meta['trace_token']);
    const own = await server.call('get_trace', { session_token: left.token, trace_tokens: [traceToken] });
    expect(own.json['event_count']).toBeGreaterThan(0);
    const { token: elsewhere } = await sessionAt('draft');
    const foreign = await server.call('get_trace', {
      session_token: elsewhere,
      trace_tokens: [traceToken, `${traceToken.slice(0, -2)}AA`, 'wlt_'],
    });
    expect(foreign.json).toMatchObject({ event_count: 0, events: [] });
    expect(foreign.json['token_errors']).toHaveLength(3);
  });
});

/** Returns copies of a reference token, each with one changed byte: of the id, the revision, the agent or the seal. */
function patchedReferences(token: string): readonly string[] {
  const bytes = Buffer.from(token.slice(3), 'base64url');
  return [9, 10, 13, 16, 17, bytes.length - 1].map((at) => {
    const patched = Buffer.from(bytes);
    patched[at] = (patched[at] ?? 0) ^ 1;
    return `wl_${patched.toString('base64url')}`;
  });
}

/**
 * Returns copies of a self-contained token with a changed payload, and with its own signature or that of the token
 * before.
 */
function patchedPayloads(token: string, before: string): readonly string[] {
  const [body = '', signature = ''] = token.split('.');
  const said = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const { bcp: _gate, ...open } = said;
  const payloads = [
    { ...said, act: 'ship' },
    { ...said, rev: Number(said['rev']) + 1 },
    { ...said, agent: 2 },
    { ...said, aid: 'somebody else' },
    open,
  ];
  const spelled = payloads.map((payload) => Buffer.from(JSON.stringify(payload)).toString('base64url'));
  const [, older = ''] = before.split('.');
  return [
    ...spelled.map((payload) => `${payload}.${signature}`),
    `${body}.${older}`,
    `${body}.${'0'.repeat(64)}`,
    `${body}.${signature.toUpperCase()}`,
    body,
  ];
}
