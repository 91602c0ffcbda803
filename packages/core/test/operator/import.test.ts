import type { JsonObject } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import type { JournalEvent, SessionRow } from '@workflowlookup/storage';
import { emptyJournal, sealEvents } from '@workflowlookup/storage/journal';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../support/test-server.ts';
import { atFetch, openTestServer, sealsOf } from '../support/test-server.ts';
import { keyRing } from '../support/tokens.ts';

/** Returns the lines of a session that waits at its checkpoint. */
async function exportedLines(): Promise<readonly string[]> {
  const server = openTestServer();
  const token = await atFetch(server);
  await server.sessions.yield(token, 'bake-now');
  const { sessions } = await server.store.find({});
  const lines: string[] = [];
  for await (const line of server.person('ana').export(sessions[0]?.sid ?? '')) lines.push(line);
  return lines;
}

interface Parts {
  readonly header: { session: SessionRow & Record<string, unknown> } & Record<string, unknown>;
  readonly events: { at: string; type: string; data: JsonObject }[];
  rest: readonly string[];
}

/** Changes lines and seals them again, so that every hash is correct. */
async function forged(change: (parts: Parts) => void): Promise<readonly string[]> {
  const parsed = (await exportedLines()).map((line) => JSON.parse(line) as Record<string, unknown>);
  const [header, ...others] = parsed as [Parts['header'], ...Record<string, unknown>[]];
  const events = others.flatMap(({ kind, event }) => (kind === 'event' ? [event as JournalEvent] : []));
  const rest = others.filter(({ kind }) => kind !== 'event').map((line) => canonicalJson(line));
  const parts: Parts = { header, events: events.map(({ at, type, data }) => ({ at, type, data })), rest };
  change(parts);
  const sealed = sealEvents(header.session.sid, emptyJournal, parts.events);
  const { revision, hash } = sealed.at(-1) ?? emptyJournal;
  const session = { ...parts.header.session, revision, hash };
  return [
    canonicalJson({ ...header, session }),
    ...sealed.map((event) => canonicalJson({ kind: 'event', event })),
    ...parts.rest,
  ];
}

describe('An import', () => {
  it('is refused if no session can reach its state', async () => {
    const changes: Readonly<Record<string, (parts: Parts) => void>> = {
      'a forged status': ({ header }) => Object.assign(header.session, { status: 'completed' }),
      'an earlier beginning': ({ header }) =>
        Object.assign(header.session, { createdAt: '2020-01-01T00:00:00.000Z' }),
      'another end': ({ header }) => Object.assign(header.session, { updatedAt: '2020-01-01T00:00:00.000Z' }),
      'another parent': ({ header }) => Object.assign(header.session, { parentSid: 'x' }),
      'another workflow': ({ header }) => Object.assign(header.session, { workflowId: 'x' }),
      'an event before the one before': ({ events }) =>
        Object.assign(events[1] ?? {}, { at: '2020-01-01T00:00:00.000Z' }),
      'an event in the future': ({ events, header }) => {
        Object.assign(events.at(-1) ?? {}, { at: '2999-01-01T00:00:00.000Z' });
        Object.assign(header.session, { updatedAt: '2999-01-01T00:00:00.000Z' });
      },
      'an event of no type': ({ events }) => Object.assign(events[1] ?? {}, { type: 'approved' }),
      'an event of another shape': ({ events }) =>
        Object.assign(events[1] ?? {}, { data: { type: 'activity-entered', activity: 7 } }),
      'an id of no session': (parts) => {
        const { sid } = parts.header.session;
        Object.assign(parts.header.session, { sid: '../../etc/passwd' });
        parts.rest = parts.rest.map((line) => line.replace(sid, '../../etc/passwd'));
      },
      'a start by an agent that never joined': (parts) => {
        parts.rest = parts.rest.map((line) => line.replace(/"aid":"[^"]*"/, '"aid":"human:ciso"'));
      },
      'a missing first event': ({ events }) => void events.shift(),
      'variables that are a list': ({ events }) =>
        Object.assign(events[0] ?? {}, { data: { ...events[0]?.data, variables: [] } }),
      'an activity that is not there': ({ events }) =>
        Object.assign(events[1] ?? {}, { data: { ...events[1]?.data, activity: 'nowhere' } }),
    };
    for (const [what, change] of Object.entries(changes)) {
      const there = openTestServer();
      const imported = there.person('eve').import(asLines(await forged(change)));
      await expect(imported, what).rejects.toMatchObject({ code: 'INVALID_FILE' });
      expect((await there.store.find({})).sessions, what).toEqual([]);
    }
  });

  it('belongs to the person who imports it, and is read-only', async () => {
    const there = openTestServer();
    const lines = await forged(({ header, events }) => {
      Object.assign(header.session, { principal: 'the CISO', project: '/elsewhere' });
      const last = events.at(-1)?.data ?? {};
      const answered = {
        type: 'checkpoint-answered',
        activity: last['activity'] ?? '',
        checkpoint: last['checkpoint'] ?? '',
        answer: { kind: 'option', option: 'yes' },
        by: 'human',
        person: 'the CISO',
        variables: { hot: true },
        effect: { setVariable: { hot: true } },
      };
      events.push({ at: events.at(-1)?.at ?? '', type: answered.type, data: answered });
      Object.assign(header.session, { status: 'active' });
    });
    const counted = lines.map((line) => line.replace('"events":3', '"events":4'));
    const session = await there.person('eve').import(asLines(counted));
    expect(session).toMatchObject({
      principal: 'local',
      imported: { by: 'eve', isAuthentic: false, principal: 'the CISO', revision: 4 },
    });
    expect(session).not.toHaveProperty('project');
    expect((await there.person('eve').history(session.sid)).checkpoints).toMatchObject([
      { answered: { person: 'the CISO', isImported: true } },
    ]);
    const refused = { code: 'SESSION_UNVERIFIED', data: { reason: 'imported' } };
    await expect(there.sessions.start({ agentId: 'a', sessionToken: session.sid })).rejects.toMatchObject(
      refused,
    );
    expect((await there.sessions.discover()).openSessions).toEqual([]);
  });

  it('is refused if it was edited under a seal with known keys, and read-only without a seal or with unknown keys', async () => {
    const seals = sealsOf(keyRing(1));
    const here = openTestServer(undefined, { seals });
    await atFetch(here);
    const { sid = '' } = (await here.store.find({})).sessions[0] ?? {};
    const lines: string[] = [];
    for await (const line of here.person('ana').export(sid)) lines.push(line);
    const edited = lines.map((line) => line.replace('"principal":"local"', '"principal":"the CISO"'));
    const unsealed = edited.map((line) => line.replace(/,"seal":"[^"]*"/, ''));
    expect(unsealed).not.toEqual(edited);
    const importing = async (from: readonly string[], keys = seals) =>
      openTestServer(undefined, { seals: keys }).person('eve').import(asLines(from));
    await expect(importing(edited)).rejects.toMatchObject({ code: 'INVALID_FILE' });
    expect(await importing(lines)).toMatchObject({ imported: { isAuthentic: true } });
    expect(await importing(unsealed)).toMatchObject({ imported: { isAuthentic: false } });
    expect(await importing(edited, sealsOf(keyRing(2)))).toMatchObject({ imported: { isAuthentic: false } });
  });

  it('is still marked as imported after another export', async () => {
    const [first, second] = [openTestServer(), openTestServer()];
    const session = await first.person('ana').import(asLines(await exportedLines()));
    const again = await second.person('ben').import(first.person('ana').export(session.sid));
    expect(again.imported).toMatchObject({ by: 'ben', exportedBy: 'ana', isAuthentic: false });
    await checkStatus(second, session.sid);
  });
});

async function checkStatus({ store, sessionsFor: elsewhere }: TestServer, sid: string): Promise<void> {
  expect(await store.load(sid)).toMatchObject({ session: { sid } });
  expect((await elsewhere({}).discover()).openSessions).toEqual([]);
}

async function* asLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
