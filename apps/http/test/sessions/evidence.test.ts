import { beforeAll, describe, expect, test } from 'vitest';
import { build, makeCi } from '../../../../packages/evidence/test/support/ci.ts';
import { makeGitFolder } from '../../../../packages/evidence/test/support/git-folder.ts';
import type { Headers, TestService } from '../support/service.ts';
import { answerOf, bearer, openServiceWith, rpc } from '../support/service.ts';

const ci = makeCi();

const project = makeGitFolder();

beforeAll(() => {
  project.write('.workflowlookup/checks.yaml', 'checks: {test: {run: "true"}}\n');
  project.commit();
});

interface Team {
  readonly server: TestService;
  readonly agent: Headers;
  readonly person: Headers;
  readonly sid: string;
  call(method: string, params: object): Promise<Readonly<Record<string, unknown>>>;
  ask(
    path: string,
    who: Headers,
    body?: unknown,
  ): Promise<{ status: number; reply: Record<string, unknown> }>;
  statement(session?: string): Promise<object>;
}

/** Opens a server with keys for an agent and for a person, and starts a session as the agent. */
async function openTeam(): Promise<Team> {
  const server = openServiceWith(
    { host: { definitions: [build] } },
    '--auth',
    'keys',
    '--trusted-key',
    `ci=${ci.publicFile}`,
  );
  const key = async (principal: string, ...scopes: ('read' | 'write' | 'checkpoints:respond')[]) =>
    bearer(await server.key({ principal, scopes }));
  const agent = await key('team', 'read', 'write');
  const person = await key('team', 'read', 'checkpoints:respond');
  const opened = await server.open(agent);
  const call = async (method: string, params: object): Promise<Readonly<Record<string, unknown>>> => {
    const { result, error } = await answerOf(await server.post(rpc(method, params), opened));
    return { ...(error && { error }), ...result, ...(result?.['_meta'] as object | undefined) };
  };
  const started = await call('start_session', { agent_id: 'a', workflow_id: 'build-it' });
  const moved = await call('next_activity', { session_token: started['session_token'] });
  return {
    server,
    agent,
    person,
    sid: String(started['session_id']),
    call: (method, params) => call(method, { session_token: moved['session_token'], ...params }),
    async ask(path, who, body) {
      const response = await server.fetch(path, {
        headers: { 'content-type': 'application/json', ...who },
        ...(body !== undefined && {
          method: 'POST',
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      });
      return { status: response.status, reply: (await response.json()) as Record<string, unknown> };
    },
    statement: (session) => ci.attest(project.folder, { ...(session !== undefined && { session }) }),
  };
}

const passed = { outcome: 'passed', reasons: [] };

async function reportFor({ ask, person, sid }: Team, more: object = {}): Promise<object> {
  const { reply } = await ask(`/sessions/${sid}/evidence`, person);
  const [first] = reply['asked'] as { digest: string }[];
  return {
    activity: reply['activity'],
    results: [{ evidence: 'seen', demand: first?.digest, result: passed, ...more }],
  };
}

describe('evidence that is reported over HTTP', () => {
  test('can be requested only by the principal of the session', async () => {
    const team = await openTeam();
    const { ask, agent, person, sid, server } = team;
    const path = `/sessions/${sid}/evidence`;
    const { status, reply } = await ask(path, person);
    expect({ status, reply }).toMatchObject({
      status: 200,
      reply: { sid, workflowId: 'build-it', activity: 'build', asked: [{ unset: [] }, { unset: [] }] },
    });
    expect((await ask(path, agent)).status).toBe(200);
    expect((await ask(path, {})).status).toBe(401);
    expect((await ask(path, bearer('wlk_no'))).status).toBe(401);
    const other = bearer(await server.key({ principal: 'others', scopes: ['read', 'checkpoints:respond'] }));
    expect(await ask(path, other)).toMatchObject({ status: 404, reply: { code: 'NOT_FOUND' } });
    expect(await ask('/sessions/..%2f..%2fetc/evidence', person)).toMatchObject({ status: 404 });
  });

  test('counts if a person reports it, with the key as its author', async () => {
    const team = await openTeam();
    const { ask, person, sid, call } = team;
    const { status, reply } = await ask(`/sessions/${sid}/evidence`, person, await reportFor(team));
    expect({ status, reply }).toMatchObject({
      status: 200,
      reply: { evidence: [{ id: 'seen', status: 'passed' }] },
    });
    const { evidence } = await call('get_workflow_status', {});
    expect(evidence).toMatchObject([
      { evidence_id: 'seen', status: 'passed', collected_level: 'observed' },
      { evidence_id: 'vouched', status: 'missing' },
    ]);
  });

  test('names the files that it is about', async () => {
    const team = await openTeam();
    const file = { path: 'docs/plan.md', digest: 'sha256:0' };
    const result = { ...passed, paths: [file.path], file };
    const { status, reply } = await team.ask(
      `/sessions/${team.sid}/evidence`,
      team.person,
      await reportFor(team, { result }),
    );
    expect({ status, reply }).toMatchObject({
      status: 200,
      reply: { evidence: [{ recorded: { result: { paths: [file.path], file } } }] },
    });
  });

  test('is refused from the key of an agent, or without the scope', async () => {
    const team = await openTeam();
    const { ask, agent, server, sid } = team;
    const path = `/sessions/${sid}/evidence`;
    const report = await reportFor(team);
    expect(await ask(path, agent, report)).toMatchObject({
      status: 403,
      reply: { code: 'FORBIDDEN', data: { reason: 'scope' } },
    });
    // An agent works on its session with a key that has all scopes.
    const both = bearer(
      await server.key({ principal: 'team', scopes: ['read', 'write', 'checkpoints:respond'] }),
    );
    const opened = await server.open(both);
    const call = async (method: string, params: object) => {
      const { result } = await answerOf(await server.post(rpc(method, params), opened));
      return { ...result, ...(result?.['_meta'] as object | undefined) } as Record<string, unknown>;
    };
    const started = await call('start_session', { agent_id: 'b', workflow_id: 'build-it' });
    await call('next_activity', { session_token: started['session_token'] });
    const own = String(started['session_id']);
    expect(await ask(`/sessions/${own}/evidence`, both, report)).toMatchObject({
      status: 403,
      reply: { code: 'FORBIDDEN', data: { reason: 'same-credential' } },
    });
  });

  test.each([
    ['a body that is not JSON', 'seen'],
    ['no results', { activity: 'build', results: [] }],
    ['a level of its own', { level: 'ci' }],
    ['a result that passed with reasons', { result: { outcome: 'passed', reasons: ['no'] } }],
    ['a tree that is not a digest', { result: { ...passed, tree: 'clean' } }],
    ['a negative count', { result: { ...passed, tests: { run: -1, failed: 0, skipped: 0, failures: [] } } }],
    ['a person of its own', { result: { ...passed, by: 'ada' } }],
    ['a very long text', { result: { outcome: 'failed', reasons: ['x'.repeat(5000)] } }],
  ])('is refused if it has %s', async (_, wrong) => {
    const team = await openTeam();
    const { ask, person, sid } = team;
    const isWhole = typeof wrong === 'string' || 'results' in wrong;
    const body = isWhole ? wrong : await reportFor(team, wrong);
    expect(await ask(`/sessions/${sid}/evidence`, person, body)).toMatchObject({
      status: 400,
      reply: { code: 'INVALID_INPUT' },
    });
  });

  test('is refused if its body is too large', async () => {
    const { ask, person, sid } = await openTeam();
    const body = `{"payload":"${'x'.repeat(600_000)}"}`;
    expect((await ask(`/sessions/${sid}/statements`, person, body)).status).toBe(413);
  });

  test('is accepted as a statement because of its signature, whoever submits it', async () => {
    const { ask, agent, server, sid, call, statement } = await openTeam();
    const path = `/sessions/${sid}/statements`;
    expect(await ask(path, agent, await statement())).toMatchObject({
      status: 409,
      reply: { code: 'STATEMENT_REFUSED', data: { reason: 'no-session' } },
    });
    expect(await ask(path, agent, await statement('another'))).toMatchObject({
      reply: { code: 'STATEMENT_REFUSED', data: { reason: 'other-session' } },
    });
    const reader = bearer(await server.key({ principal: 'team', scopes: ['read'] }));
    expect(await ask(path, reader, await statement(sid))).toMatchObject({
      status: 200,
      reply: {
        evidence: [
          { id: 'seen', status: 'passed' },
          { id: 'vouched', status: 'passed' },
        ],
      },
    });
    expect(await call('get_workflow_status', {})).toMatchObject({
      evidence: [{ collected_level: 'ci' }, { collected_level: 'ci' }],
    });
  });

  test('can be submitted as a statement by an agent with its tool', async () => {
    const { sid, call, statement } = await openTeam();
    const signed = (await statement(sid)) as { readonly payload: string };
    const found = await call('collect_evidence', { statement: JSON.stringify(signed) });
    const { predicate } = JSON.parse(Buffer.from(signed.payload, 'base64').toString()) as {
      readonly predicate: { readonly workflowlookup: { readonly ranAt: string } };
    };
    const shown = { status: 'passed', at: predicate.workflowlookup.ranAt };
    expect(found).toMatchObject({ evidence: [shown, shown] });
  });

  test('is refused by a server without authentication', async () => {
    const server = openServiceWith({});
    const response = await server.fetch('/sessions/x/evidence');
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'FORBIDDEN' });
  });
});
