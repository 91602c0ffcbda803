import { fileURLToPath } from 'node:url';
import type { EventsPage } from '@workflowlookup/console/contract';
import { describe, expect, test } from 'vitest';
import { openKeyBrowser } from '../support/browser.ts';
import { auditScope } from '../../../stdio/test/support/session-script.ts';
import type { Answer, TestService } from '../support/service.ts';
import { answerOf, bearer, openService, rpc } from '../support/service.ts';

// After a person has decided, an agent with an API key tries to change the decision with the tools.

const bundled = fileURLToPath(new URL('../../../../workflows/definitions', import.meta.url));
const all = ['read', 'write', 'checkpoints:respond'] as const;
const working = ['read', 'write'] as const;
const answering = ['read', 'checkpoints:respond'] as const;

const serve = (...flags: readonly string[]): TestService =>
  openService('--auth', 'keys', '--workflows', bundled, ...flags);

/** Opens an agent that calls tools with a key, each time with the latest token. */
async function openAgent(service: TestService, key: string) {
  const session = await service.open(bearer(key));
  let token = '';
  let sid = '';
  async function call(tool: string, args: object): Promise<Answer> {
    const answer = await answerOf(await service.post(rpc(tool, { session_token: token, ...args }), session));
    const { result = {} } = answer;
    const latest = result['checkpoint_handle'] ?? result['session_token'];
    if (typeof latest === 'string') token = latest;
    if (typeof result['session_id'] === 'string') sid = result['session_id'];
    return answer;
  }
  return {
    call,
    token: () => token,
    sid: () => sid,
    start: (workflow: string) =>
      call('start_session', { session_token: undefined, agent_id: 'auditor', workflow_id: workflow }),
    next: (outputs: Readonly<Record<string, unknown>> = {}, more: object = {}) =>
      call('next_activity', {
        ...(Object.keys(outputs).length === 0
          ? {}
          : { step_manifest: Object.entries(outputs).map(([step_id, output]) => ({ step_id, output })) }),
        ...more,
      }),
  };
}

const scope = { 'name-scope': auditScope };

/** Opens an agent whose session of `security-audit` waits at the checkpoint `permission`. */
async function atPermission(
  service: TestService,
  scopes: (typeof all | typeof working)[number][] = [...working],
) {
  const agent = await openAgent(service, await service.key({ principal: 'team', scopes }));
  await agent.start('security-audit');
  await agent.next();
  const { error } = await agent.next(scope);
  expect(error).toBeUndefined();
  await agent.call('yield_checkpoint', { checkpoint_id: 'permission' });
  return agent;
}

const readOnly = { option_id: 'read-only' };
const permitted = { 'ask-scope': 'Asked.' };

describe('a decision', () => {
  test('cannot be overwritten by the agent that it was made for', async () => {
    const service = serve();
    const agent = await atPermission(service);
    const person = await openAgent(service, await service.key({ principal: 'team', scopes: answering }));
    const handle = { session_token: agent.token() };
    expect((await person.call('respond_checkpoint', { ...handle, ...readOnly })).result).toMatchObject({
      resolved: true,
    });
    await agent.call('resume_checkpoint', {});
    const attacks = [
      { liveTesting: true },
      { target: 'PRODUCTION' },
      { liveTesting: null },
      { scopeDecision: 'x' },
    ];
    for (const variables of attacks) {
      const { error } = await agent.next(permitted, { variables });
      expect(error?.data).toMatchObject({ variable: Object.keys(variables)[0] });
      expect(error?.code).toBe(-32005);
    }
    const { result } = await agent.next(permitted, { variables: { liveTesting: false } });
    expect(result).toMatchObject({ activity_id: 'inventory' });
    expect((await agent.next({}, { activity_id: 'probe' })).error).toBeDefined();
  });

  test('records which credential answered, and for whom', async () => {
    const service = serve();
    const agent = await atPermission(service);
    const key = await service.key({ principal: 'team', scopes: answering });
    const id = key.split('_')[1] ?? '';
    const person = await openAgent(service, key);
    await person.call('respond_checkpoint', { session_token: agent.token(), ...readOnly });
    const browser = await openKeyBrowser(service, key);
    const { events } = await browser.read<EventsPage>(`/sessions/${agent.sid()}/events`);
    expect(events.at(-1)?.event).toMatchObject({
      type: 'checkpoint-answered',
      by: 'human',
      person: `team (key ${id})`,
      origin: { channel: 'tool', principal: 'team', credential: `key:${id}`, assurance: 'account' },
      decided: { shown: ['target', 'scopeSummary'], revision: 4 },
    });
    const { result } = await agent.call('get_trace', {});
    const calls = result?.['events'] as readonly Record<string, unknown>[];
    expect(calls.find(({ name }) => name === 'respond_checkpoint')).toMatchObject({
      aid: `human:team (key ${id})`,
    });
  });

  test('cannot be made by the credential that did the work, over MCP or in the console', async () => {
    const service = serve();
    const key = await service.key({ principal: 'team', scopes: all });
    const agent = await openAgent(service, key);
    await agent.start('security-audit');
    await agent.next();
    await agent.next(scope);
    await agent.call('yield_checkpoint', { checkpoint_id: 'permission' });
    const refused = await agent.call('respond_checkpoint', readOnly);
    expect(refused.error?.data).toMatchObject({ reason: 'same-credential', checkpoint_id: 'permission' });
    const browser = await openKeyBrowser(service, key);
    const answer = { mode: { kind: 'option', option: 'read-only' }, revision: 4 };
    const response = await browser.send('POST', `/sessions/${agent.sid()}/answer`, answer);
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'HUMAN_REQUIRED' }]);
    const other = await openAgent(service, await service.key({ principal: 'team', scopes: all }));
    const taken = await other.call('respond_checkpoint', { session_token: agent.token(), ...readOnly });
    expect(taken.result).toMatchObject({ resolved: true });
  });
});
