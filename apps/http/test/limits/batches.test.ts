import { describe, expect, test } from 'vitest';
import { messages as toolMessages } from '../../../../packages/mcp/test/support/messages.ts';
import { answerOf, bearer, openService, rpc } from '../support/service.ts';

const ann = { principal: 'ann', scopes: ['read', 'write'] } as const;
const calls = (count: number, call: object): readonly object[] =>
  Array.from({ length: count }, (_, id) => ({ ...call, id }));
const start = rpc('start_session', { agent_id: 'a', workflow_id: 'review-flow' });

/** Opens a session of 2025-03-26, the revision with batches. */
async function openBatches(...flags: readonly string[]) {
  const service = openService('--auth', 'keys', ...flags);
  const credential = bearer(await service.key(ann));
  const headers = await service.open(credential, '2025-03-26');
  const batch = (...messages: readonly object[]) => service.post(messages, headers);
  const sessions = async (): Promise<number> =>
    Number(
      /workflow_sessions\{status="active"\} (\d+)/.exec(
        await (await service.fetch('/metrics', { headers: credential })).text(),
      )?.[1] ?? 0,
    );
  return { ...service, credential, batch, sessions };
}

describe('a batch of calls', () => {
  test('counts as its calls towards the rate limit', async () => {
    // The burst is 30 calls. Opening the session was the first of them.
    const { batch, post, credential } = await openBatches('--rate-limit', '10');
    const answered = await batch(...calls(26, rpc('ping')));
    expect([answered.status, ((await answered.json()) as unknown[]).length]).toEqual([200, 26]);
    const refused = await batch(...calls(10, rpc('ping')));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ error: 'too_many_requests' });
    expect((await post(rpc('ping'), credential)).status).toBe(200);
  });

  test('changes nothing if it is refused', async () => {
    const { batch, sessions } = await openBatches('--rate-limit', '5');
    expect((await batch(...calls(16, start))).status).toBe(429);
    expect((await batch(...calls(2, start))).status).toBe(200);
    expect(await sessions()).toBe(2);
  });

  test('has a maximum number of messages, which the error names', async () => {
    const { batch, sessions } = await openBatches('--rate-limit', '0');
    const refused = await batch(...calls(101, start));
    expect(refused.status).toBe(400);
    expect((await answerOf(refused)).error).toMatchObject({
      code: -32600,
      data: { details: toolMessages.batchTooLarge(101, 100) },
    });
    expect(await sessions()).toBe(0);
  });

  test('cannot use more than the share of one user in the concurrent calls', async () => {
    const { batch } = await openBatches('--rate-limit', '0', '--max-requests', '40');
    expect((await batch(...calls(10, rpc('ping')))).status).toBe(200);
    expect((await batch(...calls(11, rpc('ping')))).status).toBe(429);
  });
});
