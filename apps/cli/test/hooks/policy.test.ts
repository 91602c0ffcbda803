import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPolicy, readPolicy } from '../../src/hooks/hook/policy.ts';

/**
 * Reads the policy from files of a project and of the user with these texts. A function can create something else
 * instead of the file of the project.
 */
async function read(
  project: string | ((file: string) => Promise<unknown>) | undefined,
  user?: string,
): Promise<Awaited<ReturnType<typeof readPolicy>>> {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-policy-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [cwd, home] = [join(root, 'project', 'src'), join(root, 'home')];
  for (const [folder, text] of [
    [join(root, 'project'), project],
    [home, user],
  ] as const) {
    await mkdir(join(folder, '.workflowlookup'), { recursive: true });
    const file = join(folder, '.workflowlookup', 'policy.yaml');
    if (typeof text === 'function') await text(file);
    else if (text !== undefined) await writeFile(file, text);
  }
  await mkdir(cwd, { recursive: true });
  return readPolicy([cwd], home);
}

test('Without a file, the defaults apply', async () => {
  expect(await read(undefined)).toEqual({ policy: defaultPolicy, files: [], problems: [] });
});

test('A policy is found from a folder inside the project, with comments and unquoted values', async () => {
  const text = '# For everyone.\nrequire_session: [edit, shell]\nstop: free # for now\n\nfailure: block\n';
  expect((await read(text)).policy).toEqual({
    require_session: ['edit', 'shell'],
    stop: 'free',
    after_blocks: 'park',
    failure: 'block',
  });
});

test('A policy in a subfolder cannot weaken the one above it, and the project folder counts too', async () => {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-policy-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [project, below, home] = ['project', 'project/src', 'home'].map((name) => join(root, name));
  const put = async (folder = '', text = ''): Promise<void> => {
    await mkdir(join(folder, '.workflowlookup'), { recursive: true });
    await writeFile(join(folder, '.workflowlookup', 'policy.yaml'), text);
  };
  await put(project, 'require_session: [edit]\nstop: finish\n');
  await put(below, 'require_session: []\nstop: free\n');
  const strict = { require_session: ['edit'], stop: 'finish' };
  expect((await readPolicy([below ?? ''], home ?? '')).policy).toMatchObject(strict);
  expect((await readPolicy([root, project ?? ''], home ?? '')).policy).toMatchObject(strict);
  expect((await readPolicy([root], home ?? '')).policy).toEqual(defaultPolicy);
});

test('A policy that cannot be read is a problem', async () => {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-policy-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, '.workflowlookup', 'policy.yaml'), { recursive: true });
  const { policy, problems } = await readPolicy([root], join(root, 'home'));
  expect(problems).toHaveLength(1);
  expect(policy).toEqual(defaultPolicy);
});

test('The strictest value of each rule applies, whichever file has it', async () => {
  const one = 'stop: free\nafter_blocks: free\nrequire_session: [edit]\n';
  const other = 'stop: finish\nafter_blocks: park\nfailure: block\nrequire_session: [network]\n';
  const strictest = {
    require_session: expect.arrayContaining(['edit', 'network']),
    stop: 'finish',
    after_blocks: 'park',
    failure: 'block',
  };
  expect((await read(one, other)).policy).toEqual(strictest);
  expect((await read(other, one)).policy).toEqual(strictest);
});

test('Other YAML syntax is read too', async () => {
  const { policy, problems } = await read('require_session:\n  - edit\n');
  expect(policy.require_session).toEqual(['edit']);
  expect(problems).toEqual([]);
});

test.each([
  'stop: never\n',
  'after_block: free\n',
  'stops: { a: b }\n',
  'require_session: [write]\n',
  'stop: [\n',
  '- a\n',
])('The text %j is a problem', async (text) => {
  const { policy, problems } = await read(text);
  expect(problems).toHaveLength(1);
  expect(policy).toEqual(defaultPolicy);
});

test.each([
  ['a folder', (file: string) => mkdir(file)],
  ['a link to a device', (file: string) => symlink('/dev/zero', file)],
  ['nested too deeply', (file: string) => writeFile(file, '- '.repeat(30_000))],
  ['far too long', (file: string) => writeFile(file, `# ${'x'.repeat(1024 * 1024)}\nstop: free\n`)],
])('A policy of the project that is %s does not turn off that of the user', async (_what, make) => {
  const { policy, files, problems } = await read(make, 'require_session: [edit]\nfailure: block\n');
  expect(policy).toEqual({ ...defaultPolicy, require_session: ['edit'], failure: 'block' });
  expect(files).toHaveLength(2);
  expect(problems).toHaveLength(1);
});
