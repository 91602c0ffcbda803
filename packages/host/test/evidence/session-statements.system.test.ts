import { createPrivateKey, randomInt, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Envelope } from '@workflowlookup/evidence';
import {
  createStatementReader,
  openSessionStatement,
  readSigningKey,
  readTrustedKey,
  signSession,
} from '@workflowlookup/evidence';
import { expect, test } from 'vitest';
import { makeCi } from '../../../evidence/test/support/ci.ts';
import { driver } from '../../../storage/test/support/other-connection.ts';
import type { Host } from '../../src/index.ts';
import type { Agent, Project } from '../support/project.ts';
import { makeProject, startAgent } from '../support/project.ts';

const [signer, stranger] = [makeCi(), makeCi()];
const signedAt = '2030-01-31T09:00:00.000Z';

interface Worked {
  readonly project: Project;
  readonly agent: Agent;
  readonly sid: string;
}

/** Starts a session and completes one step with evidence. */
async function proved(): Promise<Worked> {
  const project = makeProject([{ id: 'tests', check: 'test', tests: 'not-fewer' }]);
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  await agent.next();
  const { sessions } = await project.host.operator.find({});
  return { project, agent, sid: sessions[0]?.sid ?? '' };
}

async function complete({ agent }: Worked): Promise<void> {
  await agent.next({ step_id: 'report', output: 'Reported.' });
}

async function stated({ operator }: Pick<Host, 'operator'>, sid: string, by = signer): Promise<Envelope> {
  const [history, verification] = [await operator.history(sid), await operator.verify(sid)];
  return signSession({ history, verification, signedAt }, await readSigningKey(by.secretFile));
}

async function trusted(...ones: readonly (typeof signer)[]) {
  return Promise.all(ones.map((one, at) => readTrustedKey(`key${at}`, one.publicFile)));
}

async function opened(envelope: unknown, ...ones: readonly (typeof signer)[]) {
  const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
  return openSessionStatement(text, await trusted(...(ones.length === 0 ? [signer] : ones)));
}

function bodyOf({ payload }: Envelope): string {
  return Buffer.from(payload, 'base64').toString();
}

/** Signs a text as the DSSE specification requires, without the code under test. */
function signedText(body: Buffer | string, { type = 'application/vnd.in-toto+json', by = signer } = {}) {
  const bytes = Buffer.from(body);
  const whole = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${bytes.length} `), bytes]);
  const sig = sign(null, whole, createPrivateKey(readFileSync(by.secretFile))).toString('base64');
  return { payloadType: type, payload: bytes.toString('base64'), signatures: [{ sig }] };
}

const refused = { code: 'STATEMENT_REFUSED', data: { reason: 'unknown-key' } };
const malformed = { code: 'INVALID_INPUT', data: { reason: 'not-a-statement' } };

test('A statement contains the head of the journal, the commit, the decisions and the evidence', async () => {
  const worked = await proved();
  await complete(worked);
  const { project, sid } = worked;
  const { session } = await project.host.operator.history(sid);
  const envelope = await stated(project.host, sid);
  const commit = project.git('rev-parse', 'HEAD').trim();
  expect(JSON.parse(bodyOf(envelope))).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: session.hash.replace('sha256:', '') } }, { digest: { gitCommit: commit } }],
  });
  expect(bodyOf(envelope)).not.toContain('ran\\n');
  const { statement, signers } = await opened(envelope);
  expect(signers).toEqual(['key0']);
  expect(statement).toMatchObject({
    session: { sid, status: 'completed', revision: session.revision, head: session.hash },
    commit,
    signedAt,
    decisions: [],
    evidence: [
      { id: 'tests', activity: 'build', outcome: 'passed', level: 'rerun', tests: { run: 2 }, commit },
    ],
    warnings: 0,
  });
});

test('A statement says whether the session is still active or was abandoned', async () => {
  const { project, sid } = await proved();
  expect((await opened(await stated(project.host, sid))).statement.session.status).toBe('active');
  await project.host.operator.abandon(sid);
  expect((await opened(await stated(project.host, sid))).statement.session.status).toBe('abandoned');
});

test('A statement says when evidence was collected that was recorded later', async () => {
  const { project, sid } = await proved();
  const { operator } = project.host;
  const [history, verification] = [await operator.history(sid), await operator.verify(sid)];
  const collectedAt = '2029-12-31T09:00:00.000Z';
  const evidence = history.evidence?.map(({ recorded, ...one }) => ({
    ...one,
    ...(recorded && { recorded: { ...recorded, result: { ...recorded.result, collectedAt } } }),
  }));
  const late = { history: { ...history, evidence: evidence ?? [] }, verification, signedAt };
  const { statement } = await opened(signSession(late, await readSigningKey(signer.secretFile)));
  expect(statement.evidence).toMatchObject([{ id: 'tests', at: collectedAt }]);
});

test('Evidence about uncommitted files refers to no commit', async () => {
  const project = makeProject([{ id: 'tests', check: 'test' }]);
  await project.trust();
  const agent = await startAgent(project);
  project.write('src/cart.txt', 'another cart\n');
  await agent.collect();
  await agent.next();
  const [row] = (await project.host.operator.find({})).sessions;
  const { statement } = await opened(await stated(project.host, row?.sid ?? ''));
  expect(statement.evidence).toMatchObject([{ outcome: 'passed' }]);
  expect(statement.commit).toBeUndefined();
});

test('A statement refers to no commit if a check ran at another one than the newest evidence', async () => {
  const project = makeProject([
    { id: 'tests', check: 'test' },
    { id: 'clean', git: { clean: true } },
  ]);
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect({ evidenceIds: ['tests'] });
  project.write('src/cart.txt', 'a broken cart\n');
  project.commit();
  await agent.collect({ evidenceIds: ['clean'] });
  const [row] = (await project.host.operator.find({})).sessions;
  const { statement } = await opened(await stated(project.host, row?.sid ?? ''));
  expect(statement.evidence).toMatchObject([{ outcome: 'passed' }, { outcome: 'passed' }]);
  expect(statement.commit).toBeUndefined();
  await agent.collect({ evidenceIds: ['tests'] });
  const now = await opened(await stated(project.host, row?.sid ?? ''));
  expect(now.statement.commit).toBe(project.git('rev-parse', 'HEAD').trim());
});

test('A statement with an edited subject, status or evidence is refused', async () => {
  const worked = await proved();
  const envelope = await stated(worked.project.host, worked.sid);
  const body = bodyOf(envelope);
  for (const [from, to] of [
    ['"status":"active"', '"status":"completed"'],
    [worked.project.git('rev-parse', 'HEAD').trim(), 'b'.repeat(40)],
    [worked.sid, '0'.repeat(20)],
    ['"run":2', '"run":9'],
  ] as const) {
    const edited = body.replaceAll(from, to);
    expect(edited).not.toBe(body);
    const payload = Buffer.from(edited).toString('base64');
    await expect(opened({ ...envelope, payload })).rejects.toMatchObject(refused);
  }
});

test('A statement with another key is refused, whatever key id its signature has', async () => {
  const { project, sid } = await proved();
  const [mine, other] = [await stated(project.host, sid), await stated(project.host, sid, stranger)];
  await expect(opened(other)).rejects.toMatchObject(refused);
  const borrowed = { ...other.signatures[0], keyid: mine.signatures[0]?.keyid };
  await expect(opened({ ...other, signatures: [borrowed] })).rejects.toMatchObject(refused);
  // The signature of one statement does not count for another one.
  const later = bodyOf(mine).replace(signedAt, '2031-01-31T09:00:00.000Z');
  await expect(opened({ ...mine, payload: Buffer.from(later).toString('base64') })).rejects.toMatchObject(
    refused,
  );
});

test('Only the signatures of trusted keys are named if there are several', async () => {
  const { project, sid } = await proved();
  const [mine, other] = [await stated(project.host, sid), await stated(project.host, sid, stranger)];
  const both = { ...mine, signatures: [...other.signatures, ...mine.signatures] };
  expect((await opened(both)).signers).toEqual(['key0']);
  expect((await opened(both, signer, stranger)).signers).toEqual(['key0', 'key1']);
  await expect(opened({ ...mine, signatures: [] })).rejects.toMatchObject(refused);
});

test('The type of the payload is part of the signed text', async () => {
  const { project, sid } = await proved();
  const envelope = await stated(project.host, sid);
  await expect(opened({ ...envelope, payloadType: 'application/json' })).rejects.toMatchObject(malformed);
  const other = signedText(bodyOf(envelope), { type: 'application/json' });
  await expect(opened(other)).rejects.toMatchObject(malformed);
  await expect(opened({ ...other, payloadType: envelope.payloadType })).rejects.toMatchObject(refused);
});

test('A statement about a check is not accepted for a session, and the other way round', async () => {
  const worked = await proved();
  const { project, sid } = worked;
  await expect(opened(await signer.attest(project.folder))).rejects.toMatchObject(malformed);
  const reader = createStatementReader(() => trusted(signer));
  await expect(reader.read(await stated(project.host, sid))).rejects.toMatchObject(malformed);
});

test('A truncated statement, or one with a duplicate name, is refused', async () => {
  const { project, sid } = await proved();
  const envelope = await stated(project.host, sid);
  const text = JSON.stringify(envelope);
  for (const length of [0, 1, 100, text.length - 1])
    await expect(opened(text.slice(0, length))).rejects.toMatchObject(malformed);
  // Another reader might use the first of two properties with the same name.
  const twice = text.replace('"payload":', '"payload":"e30=","payload":');
  await expect(opened(twice)).rejects.toMatchObject(malformed);
  const escaped = text.replace('"payload":', '"p\\u0061yload":"e30=","payload":');
  await expect(opened(escaped)).rejects.toMatchObject(malformed);
  const body = bodyOf(envelope);
  const inside = signedText(body.replace('"status":', '"status":"completed","status":'));
  await expect(opened(inside)).rejects.toMatchObject(malformed);
  await opened(signedText(body));
});

test('A statement that is not UTF-8, begins with a byte order mark, or has another id is refused', async () => {
  const { project, sid } = await proved();
  const body = bodyOf(await stated(project.host, sid));
  await expect(
    opened(signedText(Buffer.concat([Buffer.from(body.slice(0, -1)), Buffer.from([0xff, 0x7d])]))),
  ).rejects.toMatchObject(malformed);
  await expect(opened(signedText(`\uFEFF${body}`))).rejects.toMatchObject(malformed);
  // An id with a character that only looks the same must be refused.
  await expect(opened(signedText(body.replaceAll(sid, `${sid.slice(1)}\u0435`)))).rejects.toMatchObject(
    malformed,
  );
  await expect(opened(signedText(body.replace('"head":"sha256:', '"head":"sha256:0')))).rejects.toMatchObject(
    malformed,
  );
});

test('Another subject or predicate is refused, even if it is signed', async () => {
  const { project, sid } = await proved();
  const { subject, ...rest } = JSON.parse(bodyOf(await stated(project.host, sid))) as {
    subject: readonly object[];
  };
  const other = { ...rest, subject: [{ digest: { sha256: 'a'.repeat(64) } }, ...subject.slice(1)] };
  await expect(opened(signedText(JSON.stringify(other)))).rejects.toMatchObject(malformed);
  for (const type of [
    'https://in-toto.io/attestation/test-result/v0.1',
    'https://workflowlookup.dev/session/v2',
  ])
    await expect(
      opened(signedText(JSON.stringify({ ...rest, subject, predicateType: type }))),
    ).rejects.toMatchObject(malformed);
  const third = { ...rest, subject: [...subject, { digest: { gitCommit: 'a'.repeat(40) } }] };
  await expect(opened(signedText(JSON.stringify(third)))).rejects.toMatchObject(malformed);
});

test('No statement is made about a session that was changed in the database', async () => {
  const worked = await proved();
  const { project, sid } = worked;
  await project.host.close();
  const database = driver.open(join(project.stateDirectory, 'sessions.db'));
  database.exec(`UPDATE events SET data = replace(data, '"run":2', '"run":9') WHERE sid = '${sid}'`);
  database.close();
  const { operator } = project.open();
  const verification = await operator.verify(sid);
  const history = await operator.history(sid).catch(() => undefined);
  if (history === undefined) return;
  const key = await readSigningKey(signer.secretFile);
  expect(() => signSession({ history, verification, signedAt }, key)).toThrow(
    expect.objectContaining({ code: 'INVALID_STATE' }) as Error,
  );
});

test('No statement is made about a session that was changed between two reads', async () => {
  const worked = await proved();
  const { operator } = worked.project.host;
  const history = await operator.history(worked.sid);
  await complete(worked);
  const verification = await operator.verify(worked.sid);
  const key = await readSigningKey(signer.secretFile);
  expect(() => signSession({ history, verification, signedAt }, key)).toThrow(
    expect.objectContaining({ code: 'SESSION_CONFLICT' }) as Error,
  );
});

test('No statement is made about an export that was imported without the keys', async () => {
  const { project, sid } = await proved();
  const lines: string[] = [];
  for await (const line of project.host.operator.export(sid)) lines.push(line);
  const there = makeProject([]);
  await there.host.operator.import(
    (async function* () {
      for (const line of lines) yield await Promise.resolve(line);
    })(),
  );
  await expect(stated(there.host, sid)).rejects.toMatchObject({ code: 'INVALID_STATE' });
});

test('An export that is older than a statement, or has another journal, is detected', async () => {
  const worked = await proved();
  const { project, sid } = worked;
  const { operator } = project.host;
  const exported = async (): Promise<readonly string[]> => {
    const lines: string[] = [];
    for await (const line of operator.export(sid)) lines.push(line);
    return lines;
  };
  const before = await exported();
  const early = (await opened(await stated(project.host, sid))).statement.session;
  await complete(worked);
  const after = await exported();
  const late = (await opened(await stated(project.host, sid))).statement.session;
  const check = async (lines: readonly string[], { revision, head }: typeof early) => {
    const heads = new Map([[sid, new Map([[revision, new Set([head])]])]]);
    async function* each() {
      for (const line of lines) yield await Promise.resolve(line);
    }
    const { problems } = await operator.verifyExport(each(), {
      anchors: { heads, pruned: new Set(), problems: [] },
    });
    return problems.map(({ code }) => code);
  };
  expect(await check(before, early)).toEqual([]);
  expect(await check(after, early)).toEqual([]);
  expect(await check(before, late)).toEqual(['ROLLED_BACK']);
  expect(await check(after, { ...early, head: late.head })).toEqual(['ROLLED_BACK']);
});

test('No random edit of the text changes the content of a signed statement', async () => {
  const { project, sid } = await proved();
  const text = JSON.stringify(await stated(project.host, sid));
  const keys = await trusted(signer);
  const said = JSON.stringify((await opened(text)).statement);
  const readingOf = (edited: string): string => {
    try {
      return JSON.stringify(openSessionStatement(edited, keys).statement) === said ? 'same' : 'another';
    } catch (error) {
      return String((error as { code?: unknown }).code);
    }
  };
  const readings = new Set(
    Array.from({ length: 2000 }, () => {
      const at = randomInt(text.length);
      const other = String.fromCharCode(randomInt(32, 127));
      return readingOf(text.slice(0, at) + other + text.slice(at + randomInt(3)));
    }),
  );
  // `keyid` is not signed, so an edit of it does not invalidate the statement.
  expect([...readings].toSorted()).toEqual(['INVALID_INPUT', 'STATEMENT_REFUSED', 'same']);
});
