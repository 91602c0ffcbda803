import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Envelope } from '../src/index.ts';
import { attestCheck, createStatementReader, readSigningKey, readTrustedKey } from '../src/index.ts';
import type { Project } from './support/project.ts';
import { makeCi } from './support/ci.ts';
import { makeProject } from './support/project.ts';

const checks = `checks:
  test: {run: "mkdir -p reports && cp junit.txt reports/junit.xml && test ! -e broken", reports: [{junit: reports/junit.xml}]}
  writes: {run: "date +%N > new.txt"}
`;
const junit =
  "<testsuites><testsuite><testcase classname='cart' name='adds'/><testcase classname='cart' name='removes'/></testsuite></testsuites>";

function project(more: Readonly<Record<string, string>> = {}): Project {
  return makeProject({
    '.workflowlookup/checks.yaml': checks,
    'junit.txt': junit,
    '.gitignore': 'reports\n',
    ...more,
  });
}

const folder = mkdtempSync(join(tmpdir(), 'keys-'));

const [ci, other] = [makeCi(), makeCi()];

const reader = createStatementReader(async () => [await readTrustedKey('ci', ci.publicFile)]);

async function attest(made: Project, more: { readonly check?: string; readonly session?: string } = {}) {
  return attestCheck({
    folder: made.folder,
    stateFolder: made.stateFolder,
    environment: process.env,
    check: 'test',
    key: await readSigningKey(ci.secretFile),
    ...more,
  });
}

function payloadOf({
  payload,
}: Envelope): { predicate: { workflowlookup: object } } & Record<string, unknown> {
  return JSON.parse(Buffer.from(payload, 'base64').toString()) as ReturnType<typeof payloadOf>;
}

/** Signs a payload as the DSSE specification requires, without the code under test. */
async function signed(body: string, { type = 'application/vnd.in-toto+json', key = ci.secretFile } = {}) {
  const bytes = Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${Buffer.byteLength(body)} ${body}`);
  const sig = sign(null, bytes, await readSigningKey(key)).toString('base64url');
  return { payloadType: type, payload: Buffer.from(body).toString('base64url'), signatures: [{ sig }] };
}

test('A statement is an in-toto statement about the commit, with the results of the check', async () => {
  const made = project();
  const { envelope, commit, reasons } = await attest(made, { session: '5d0c' });
  expect(reasons).toEqual([]);
  expect(payloadOf(envelope)).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { gitCommit: made.git('rev-parse', 'HEAD').trim() } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: { result: 'PASSED', failedTests: [] },
  });
  const stated = await reader.read(JSON.stringify(envelope));
  expect(stated).toMatchObject({ by: 'ci', check: 'test', commit, session: '5d0c' });
  const result = stated.resultFor({ id: 'tests', check: 'test', min: 2 }, undefined);
  expect(result).toMatchObject({
    level: 'ci',
    outcome: 'passed',
    tests: { run: 2 },
    tree: `commit:${commit}`,
  });
});

test('The evidence of a step is evaluated with the statement', async () => {
  const { envelope } = await attest(project());
  const stated = await reader.read(envelope);
  const outcome = (more: object, before?: number): string =>
    stated.resultFor({ id: 'tests', check: 'test', ...more }, before).outcome;
  expect(outcome({})).toBe('passed');
  expect(outcome({ min: 3 })).toBe('failed');
  expect(outcome({ coverage: { min: 1 } })).toBe('failed');
  expect(outcome({ tests: 'not-fewer' }, 2)).toBe('passed');
  expect(outcome({ tests: 'not-fewer' }, 3)).toBe('failed');
});

test('A failed check is attested as failed', async () => {
  const { envelope, reasons } = await attest(project({ broken: '' }));
  expect(reasons).toHaveLength(1);
  expect(payloadOf(envelope)).toMatchObject({ predicate: { result: 'FAILED' } });
  const { resultFor } = await reader.read(envelope);
  expect(resultFor({ id: 'tests', check: 'test' }, undefined).outcome).toBe('failed');
});

test('A statement with the result FAILED does not pass, whatever its other fields say', async () => {
  const { envelope } = await attest(project());
  const payload = payloadOf(envelope);
  const body = JSON.stringify({ ...payload, predicate: { ...payload.predicate, result: 'FAILED' } });
  const { resultFor } = await reader.read(await signed(body));
  expect(resultFor({ id: 'tests', check: 'test' }, undefined).outcome).toBe('failed');
});

test('The results of a check from a machine without the key are signed for the commit that is seen here', async () => {
  const made = project({ 'junit.txt': junit.replace('adds', 'fügt hinzu') });
  const request = {
    folder: made.folder,
    stateFolder: made.stateFolder,
    environment: process.env,
    check: 'test',
    session: '5d0c',
  };
  const { statement, envelope: none } = await attestCheck(request);
  expect(none).toBeUndefined();
  const findings = JSON.stringify(statement);
  const key = await readSigningKey(ci.secretFile);
  // Signing does not run the check, so its script can be empty.
  made.write('run-tests.sh', '');
  const signing = (text: string, more: object = {}) =>
    attestCheck({ ...request, key, findings: text, ...more });
  made.commit();
  const moved = { code: 'STATEMENT_REFUSED', data: { field: 'commit' } };
  await expect(signing(findings)).rejects.toMatchObject(moved);
  made.git('reset', '--quiet', '--hard', 'HEAD~1');
  const { envelope } = await signing(findings, { url: 'https://ci.example.com/1' });
  expect(payloadOf(envelope).predicate).toMatchObject({ result: 'PASSED', url: 'https://ci.example.com/1' });
  const stated = await reader.read(JSON.stringify(envelope));
  expect(stated.resultFor({ id: 'tests', check: 'test', min: 2 }, undefined)).toMatchObject({
    outcome: 'passed',
  });
  const differing = (field: string): object => ({ code: 'STATEMENT_REFUSED', data: { field } });
  await expect(signing(findings, { session: '6e1d' })).rejects.toMatchObject(differing('session'));
  await expect(signing(findings, { session: undefined })).rejects.toMatchObject(differing('session'));
  await expect(signing(findings, { check: 'writes' })).rejects.toMatchObject(differing('check'));
  const edited = findings.replace(/"sha256":"[0-9a-f]{64}"/, `"sha256":"${'0'.repeat(64)}"`);
  await expect(signing(edited)).rejects.toMatchObject(differing('checksDigest'));
  const failed = await signing(findings.replace('"result":"PASSED"', '"result":"FAILED"'));
  expect(payloadOf(failed.envelope).predicate).toMatchObject({ result: 'FAILED' });
  // Unknown contents of the findings are not signed.
  const more = findings.replace('"predicate":{', '"predicate":{"approved":true,');
  expect(payloadOf((await signing(more)).envelope).predicate).not.toHaveProperty('approved');
  for (const text of ['', '{}', '[]', findings.slice(0, -2)])
    await expect(signing(text)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('Only a clean commit is attested', async () => {
  const made = project();
  made.write('stray.txt', '');
  await expect(attest(made)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  made.commit();
  await expect(attest(made, { check: 'writes' })).rejects.toMatchObject({ code: 'INVALID_STATE' });
  await expect(attest(made, { check: 'toString' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('An envelope with a statement of another signer, or with a changed one, is refused', async () => {
  const { envelope } = await attest(project());
  const refused = { code: 'STATEMENT_REFUSED', data: { reason: 'unknown-key' } };
  const body = Buffer.from(envelope.payload, 'base64').toString();
  await expect(reader.read(await signed(body, { key: other.secretFile }))).rejects.toMatchObject(refused);
  const edited = Buffer.from(body.replace('"run":2', '"run":9')).toString('base64');
  await expect(reader.read({ ...envelope, payload: edited })).rejects.toMatchObject(refused);
  await expect(reader.read({ ...envelope, signatures: [] })).rejects.toMatchObject(refused);
  // A key id is only a hint, and proves nothing.
  const [mine] = envelope.signatures;
  const borrowed = { ...(await signed(body, { key: other.secretFile })).signatures[0], keyid: mine?.keyid };
  await expect(reader.read({ ...envelope, signatures: [borrowed] })).rejects.toMatchObject(refused);
  // One valid signature among others is enough.
  await reader.read({ ...envelope, signatures: [borrowed, mine] });
  const nobody = createStatementReader(() => Promise.resolve([]));
  await expect(nobody.read(envelope)).rejects.toMatchObject({ data: { reason: 'no-trusted-keys' } });
});

test('The signature also covers the type and the length of the payload', async () => {
  const { envelope } = await attest(project());
  const body = Buffer.from(envelope.payload, 'base64').toString();
  const key = await readSigningKey(ci.secretFile);
  const sigOver = (bytes: string): object => ({
    signatures: [{ sig: sign(null, Buffer.from(bytes), key).toString('base64') }],
  });
  // A signature over the payload alone, or over parts with other boundaries.
  await expect(reader.read({ ...envelope, ...sigOver(body) })).rejects.toMatchObject({
    code: 'STATEMENT_REFUSED',
  });
  await expect(
    reader.read({
      ...envelope,
      ...sigOver(`DSSEv1 28 application/vnd.in-toto+json  ${body.length} ${body}`),
    }),
  ).rejects.toMatchObject({ code: 'STATEMENT_REFUSED' });
  await expect(reader.read(await signed(body, { type: 'text/plain' }))).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

test.each([
  ['no JSON', 'DSSE'],
  ['null', 'null'],
  ['a list', []],
  ['no signatures', { payloadType: 'application/vnd.in-toto+json', payload: '' }],
  [
    'a payload that is no base64',
    { payloadType: 'application/vnd.in-toto+json', payload: '*', signatures: [] },
  ],
  [
    'very many signatures',
    {
      payloadType: 'application/vnd.in-toto+json',
      payload: '',
      signatures: Array.from({ length: 17 }, () => ({ sig: '' })),
    },
  ],
  ['very long text', 'x'.repeat(300_000)],
])('%s is not an envelope', async (_, source) => {
  await expect(reader.read(source)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('A statement with other fields than attest writes is refused, even if it is signed', async () => {
  const { envelope } = await attest(project());
  const payload = payloadOf(envelope);
  const { predicate } = payload;
  const own = predicate.workflowlookup as Record<string, unknown>;
  const withOwn = (more: object): object => ({
    ...payload,
    predicate: { ...predicate, workflowlookup: { ...own, ...more } },
  });
  const wrong = [
    {},
    'a text',
    { ...payload, _type: 'https://in-toto.io/Statement/v0.1' },
    { ...payload, predicateType: 'https://slsa.dev/provenance/v1' },
    { ...payload, subject: [] },
    { ...payload, subject: [...(payload['subject'] as object[]), { digest: { gitCommit: 'b'.repeat(40) } }] },
    { ...payload, subject: [{ digest: { gitCommit: 'HEAD' } }] },
    { ...payload, predicate: { ...predicate, result: 'WARNED' } },
    withOwn({ ranAt: 'yesterday' }),
    withOwn({ check: '' }),
    withOwn({ session: 7 }),
    withOwn({ run: { ...(own['run'] as object), tests: { run: -1, failed: 0, skipped: 0, failures: [] } } }),
    withOwn({ run: { ...(own['run'] as object), tests: { run: '2', failed: 0, skipped: 0, failures: [] } } }),
    withOwn({ run: { ...(own['run'] as object), ended: 'well' } }),
  ];
  for (const one of wrong)
    await expect(signed(JSON.stringify(one)).then((made) => reader.read(made))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  const more = await signed(
    JSON.stringify(withOwn({ run: { ...(own['run'] as object), level: 'x', by: 'me' } })),
  );
  const result = (await reader.read(more)).resultFor({ id: 'tests', check: 'test' }, undefined);
  expect(result).toMatchObject({ level: 'ci', by: 'ci' });
});

test('Keys of other kinds, and the wrong half of a key pair, are refused', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const rsaKey = pem('rsa.key', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const rsaPub = pem('rsa.pub', rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string);
  const text = pem('text.pub', 'no key');
  const invalid = { code: 'INVALID_FILE' };
  for (const file of [rsaPub, text, ci.secretFile, folder, join(folder, 'none'), '/dev/zero'])
    await expect(readTrustedKey('ci', file)).rejects.toMatchObject(invalid);
  for (const file of [rsaKey, text, ci.publicFile, folder, join(folder, 'none')])
    await expect(readSigningKey(file)).rejects.toMatchObject(invalid);
  const { key } = await readTrustedKey('ci', ci.publicFile);
  expect(key.equals(createPublicKey(await readSigningKey(ci.secretFile)))).toBe(true);
});
