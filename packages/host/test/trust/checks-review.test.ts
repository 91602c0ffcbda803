import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ChecksReview, Host } from '../../src/index.ts';
import { createHost } from '../../src/index.ts';

const file = '.workflowlookup/checks.yaml';
const text = 'checks: {test: {run: npm test, also_trust: [.npmrc]}}\n';

/** Makes a project with checks, and a host with an audit log. */
async function openProject() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'checks-')));
  const folder = join(root, 'project');
  const audit = join(root, 'audit.jsonl');
  const host = createHost({ stateDirectory: join(root, 'state'), workingDirectory: folder, audit: [audit] });
  onTestFinished(async () => {
    await host.close();
    rmSync(root, { recursive: true });
  });
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  await write(file, text);
  return {
    folder,
    host,
    write,
    audited: () =>
      readFileSync(audit, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
  };
}

async function reviewOf({ checks }: Host, folder: string): Promise<ChecksReview> {
  const review = await checks.review(folder);
  if (review === undefined) throw new Error('The project has no checks');
  return review;
}

test('Checks can be reviewed, are trusted as they were shown, and are reviewed again after a change', async () => {
  const { folder, host, write } = await openProject();
  const first = await reviewOf(host, folder);
  expect(first).toMatchObject({ state: 'untrusted', hidden: [] });
  expect(first).not.toHaveProperty('before');
  host.checks.accept(first, 'ana');
  expect(await reviewOf(host, folder)).toMatchObject({ state: 'trusted', entry: { by: 'ana' } });
  await write('.npmrc', 'script-shell=./evil\u{202E}\n');
  const second = await reviewOf(host, folder);
  expect(second).toMatchObject({
    state: 'changed',
    hidden: [{ file: '.npmrc', line: 1, column: 20 }],
  });
  expect(second.before?.get('.npmrc')).not.toBe(second.project.texts.get('.npmrc'));
});

test('Projects are listed once, by their trust', async () => {
  const { folder, host } = await openProject();
  const alias = join(dirname(folder), 'alias');
  symlinkSync(folder, alias);
  const nothing = join(dirname(folder), 'nothing');
  const states = async () =>
    (await host.checks.projects([folder, alias, nothing, '/'])).map((one) => [one.folder, one.state]);
  expect(await states()).toEqual([[folder, 'untrusted']]);
  host.checks.accept(await reviewOf(host, alias), 'ana');
  expect(await states()).toEqual([[folder, 'trusted']]);
  expect(host.checks.trustedFolders()).toEqual([folder]);
  rmSync(join(folder, file));
  expect(await states()).toEqual([[folder, 'missing']]);
});

test('Trust and its withdrawal are in the audit log', async () => {
  const { folder, host, audited } = await openProject();
  host.checks.accept(await reviewOf(host, folder), 'ana');
  expect(await host.checks.withdraw(folder)).toBe(true);
  expect(await reviewOf(host, folder)).toMatchObject({ state: 'untrusted' });
  const target = join(folder, file);
  expect(audited()).toMatchObject([
    { action: 'trust', outcome: 'done', person: 'ana', target },
    { action: 'distrust', outcome: 'done', target },
  ]);
  expect(await host.checks.withdraw(folder)).toBe(false);
});

test('Trust can be withdrawn after the file became a link', async () => {
  const { folder, host } = await openProject();
  host.checks.accept(await reviewOf(host, folder), 'ana');
  rmSync(join(folder, file));
  symlinkSync('/etc/hosts', join(folder, file));
  expect(await host.checks.withdraw(folder)).toBe(true);
  expect(host.checks.trustedFolders()).toEqual([]);
});

test('A file with an error is shown, and is not trusted', async () => {
  const { folder, host, write } = await openProject();
  await write(file, 'checks: {test: {}}\n');
  const review = await reviewOf(host, folder);
  expect(review.project.problem).toBeDefined();
  expect(() => host.checks.accept(review, 'ana')).toThrow(
    expect.objectContaining({ code: 'INVALID_FILE' }) as Error,
  );
  expect(host.checks.trustedFolders()).toEqual([]);
});

test('Only a host that collects evidence runs checks', async () => {
  const { folder, host } = await openProject();
  expect(host.checks).not.toHaveProperty('folder');
  const collecting = createHost({ workingDirectory: folder, evidence: true });
  expect(collecting.checks.folder).toBe(folder);
  await collecting.close();
});
