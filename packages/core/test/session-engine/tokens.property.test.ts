import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import type { Sessions } from '../../src/session-engine/sessions.ts';
import { codecs, keyRing } from '../support/tokens.ts';
import { bitFlips, tampered } from '../support/tamper.ts';
import type { TestServer } from '../support/test-server.ts';
import { atFetch, fetchManifest, openTestServer } from '../support/test-server.ts';

const tamperedTokens = isLong ? 10_000 : 200;

/** Every call that takes a token. */
const calls: readonly ((sessions: Sessions, token: string) => Promise<unknown>)[] = [
  (sessions, token) => sessions.status(token),
  (sessions, token) => sessions.move(token, { activityId: 'bake', manifest: fetchManifest }),
  (sessions, token) => sessions.yield(token, 'bake-now'),
  (sessions, token) => sessions.answer(token, { mode: { kind: 'option', option: 'yes' } }),
  (sessions, token) => sessions.present(token),
  (sessions, token) => sessions.resume(token),
  (sessions, token) => sessions.workflow(token, { summary: true, full: true }),
  (sessions, token) => sessions.activity(token, { full: true }),
  (sessions, token) => sessions.skills(token),
  (sessions, token) => sessions.skill(token),
  (sessions, token) => sessions.resource(token, '01'),
  (sessions, token) => sessions.operations(['a::b'], token),
  (sessions, token) => sessions.trace(token),
  (sessions, token) => sessions.start({ agentId: 'thief', parentToken: token }),
];

/** Returns the result of each call: the code of its refusal, or that it was carried out. */
function outcomes(sessions: Sessions, token: string): Promise<readonly string[]> {
  return Promise.all(
    calls.map((call) =>
      call(sessions, token).then(
        () => 'carried out',
        ({ code }: { code: string }) => code,
      ),
    ),
  );
}

describe.each(codecs)('a session under $name tokens', ({ create: codec }) => {
  let server: TestServer;
  let token: string;
  let before: unknown;

  async function everything(): Promise<unknown> {
    const { sessions } = await server.store.find({});
    return Promise.all(sessions.map(({ sid }) => server.store.events(sid)));
  }

  /** Returns the results of the calls with these tokens, and checks that they changed nothing. */
  async function tried(tokens: readonly string[], sessions = server.sessions): Promise<ReadonlySet<string>> {
    const all = await Promise.all(tokens.map((one) => outcomes(sessions, one)));
    expect(await everything()).toEqual(before);
    return new Set(all.flat());
  }

  beforeEach(async () => {
    server = openTestServer(undefined, { codec });
    token = await atFetch(server);
    before = await everything();
  });

  it('refuses every token with a flipped bit', async () => {
    // The test of the codec flips every bit. This test flips one bit of nearly every character, a different one each time.
    const flipped = [...bitFlips(token)].filter((_, at) => isLong || at % 9 === 0);
    expect(await tried(flipped)).toEqual(new Set(['TOKEN_INVALID']));
  });

  it('refuses every modified token', async () => {
    const other = await atFetch(server);
    before = await everything();
    const changesPerRun = 25;
    const forgeries = fc.array(tampered(token, other), {
      minLength: changesPerRun,
      maxLength: changesPerRun,
    });
    await fc.assert(
      fc.asyncProperty(forgeries, async (tokens) => {
        expect(await tried(tokens)).toEqual(new Set(['TOKEN_INVALID']));
      }),
      { numRuns: tamperedTokens / changesPerRun },
    );
  });

  it('refuses every random text', async () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.base64String(), fc.constant('')), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(texts, async (tokens) => {
        expect(await tried(tokens)).toEqual(new Set(['TOKEN_INVALID']));
      }),
    );
  });

  it('refuses tokens of another key, and accepts those of an older one', async () => {
    expect(await tried([token], server.sessionsFor({ codec, keys: keyRing(2) }))).toEqual(
      new Set(['TOKEN_INVALID']),
    );
    const rotated = server.sessionsFor({ codec, keys: keyRing(2, 1) });
    expect((await rotated.status(token)).value.current).toBe('fetch');
  });

  it('refuses other users, with its token or its id', async () => {
    const other = server.sessionsFor({ codec, principal: 'somebody else' });
    expect(await tried([token], other)).toEqual(new Set(['FORBIDDEN']));
    const { sid } = (await server.store.find({})).sessions[0] ?? { sid: '' };
    for (const sessionToken of [token, sid]) {
      const taken = other.start({ agentId: 'thief', workflowId: 'errands', sessionToken });
      await expect(taken).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    expect((await other.discover()).openSessions).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('shows the calls of a segment only for its own trace token, which works for nothing else', async () => {
    const { token: left, traceToken = '' } = await server.sessions.move(token, { manifest: fetchManifest });
    before = await everything();
    const own = await server.sessions.trace(left, [traceToken]);
    expect(own.value.eventCount).toBeGreaterThan(0);
    const elsewhere = await atFetch(server);
    before = await everything();
    const forged = [...bitFlips(traceToken), token, left, '', 'wlt_'];
    const shown = await server.sessions.trace(left, forged);
    expect(shown.value).toMatchObject({ eventCount: 0, events: [] });
    expect(shown.value.tokenErrors).toHaveLength(forged.length);
    const foreign = await server.sessions.trace(elsewhere, [traceToken]);
    expect(foreign.value).toMatchObject({ eventCount: 0, tokenErrors: [traceToken] });
    expect(await tried([traceToken])).toEqual(new Set(['TOKEN_INVALID']));
  });
});
