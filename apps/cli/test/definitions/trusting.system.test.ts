import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { terminalMessages } from '../../src/messages/common.ts';
import { trustMessages } from '../../src/messages/definitions.ts';
import { doctorMessages } from '../../src/messages/server.ts';
import { canOpenTerminal } from '../support/at-terminal.ts';
import { flow } from '../support/definitions.ts';
import type { TestProject } from '../support/test-project.ts';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

/** Most tests trust the project with an environment variable. In these tests, the person decides. */
const env = { WORKFLOWLOOKUP_TRUST_PROJECT: '0', NO_COLOR: '1' };

const atTerminal = (project: TestProject, args: readonly string[], input = '') =>
  project.run(args, { env, inTerminal: true, input });

interface Listed {
  readonly folders: readonly unknown[];
  readonly definitions: readonly { readonly path: string; readonly isChanged?: boolean }[];
  readonly untrusted: readonly { readonly id?: string; readonly reason: string }[];
}

async function listed(project: TestProject, ...more: readonly string[]): Promise<Listed> {
  return jsonOf('trust', (await project.run(['trust', '--list', '--json', ...more], { env })).out) as Listed;
}

async function served(project: TestProject): Promise<readonly string[]> {
  const { out } = await project.run(['list', '--json', '--no-bundled'], { env });
  return (JSON.parse(out) as { workflows: { id: string }[] }).workflows.map(({ id }) => id);
}

const openProject = (): Promise<TestProject> =>
  openTestProject(entry, {
    'workflows/release.yaml': JSON.stringify(flow('my-release')),
    'workflows/other.yaml': JSON.stringify(flow('other-flow')),
  });

describe.skipIf(!canOpenTerminal)('one definition of a project', () => {
  test.each(['workflows/release.yaml', './workflows/release.yaml', 'absolute', 'my-release'])(
    'is listed, trusted and no longer trusted by its path or id: %s',
    async (given) => {
      const project = await openProject();
      const name = given === 'absolute' ? join(project.root, 'workflows/release.yaml') : given;
      expect((await listed(project, name)).untrusted).toMatchObject([{ id: 'my-release' }]);
      expect((await atTerminal(project, ['trust', name], 'y\n')).code).toBe(0);
      expect(await served(project)).toEqual(['my-release']);
      expect(await listed(project, name)).toMatchObject({ definitions: [{}], untrusted: [] });
      // The definition is already trusted, so the command does not ask.
      expect((await project.run(['trust', name], { env })).code).toBe(0);
      const removed = await project.run(['trust', '--remove', name, '--json'], { env });
      expect(jsonOf('trust', removed.out)).toEqual({ removed: 1 });
      expect(await served(project)).toEqual([]);
    },
  );

  test('is trusted by the example of the help', async () => {
    const project = await openProject();
    const { out } = await project.run(['trust', '--help']);
    const [, example = ''] = /workflowlookup (trust \S+\.yaml)/.exec(out) ?? [];
    expect((await atTerminal(project, example.split(' '), 'y\n')).code).toBe(0);
    expect(await served(project)).toEqual(['my-release']);
  });

  test('is refused for a name that does not exist', async () => {
    const project = await openProject();
    for (const name of ['workflows/nowhere.yaml', 'nowhere'])
      expect((await project.run(['trust', name], { env })).code).toBe(2);
  });
});

describe.skipIf(!canOpenTerminal)('a definition that is not served', () => {
  test('is listed with its reason, and shown to a person with a note', async () => {
    const project = await openProject();
    await project.write('workflows/bundled.yaml', JSON.stringify(flow('release')));
    expect((await atTerminal(project, ['trust', 'my-release'], 'y\n')).code).toBe(0);
    await project.write(
      'workflows/release.yaml',
      JSON.stringify({ ...flow('my-release'), version: '9.0.0' }),
    );
    const { definitions, untrusted } = await listed(project);
    expect(definitions).toMatchObject([{ isChanged: true }]);
    expect(Object.fromEntries(untrusted.map(({ id = '', reason }) => [id, reason]))).toEqual({
      'my-release': 'changed',
      'other-flow': 'untrusted',
      release: 'untrusted',
    });
    const sources = await project.run(['sources', '--json'], { env });
    expect(sources.code).toBe(1);
    expect(sources.out).toContain('my-release');
    const { out } = await project.run(['doctor'], { env });
    expect(out).not.toContain(doctorMessages.noProblems);
    const notServed = trustMessages.notServed('my-release', trustMessages.changed);
    for (const command of ['show', 'graph'])
      expect((await atTerminal(project, [command, 'my-release'])).out).toContain(notServed);
    expect((await project.run(['show', 'my-release'], { env })).err).toContain(
      terminalMessages.untrustedWorkflow('my-release', ''),
    );
    expect((await atTerminal(project, ['show', 'other-flow'])).code).toBe(0);

    expect((await atTerminal(project, ['trust', '--folder', 'workflows'], 'y\n')).code).toBe(0);
    expect((await listed(project)).untrusted).toMatchObject([{ id: 'release', reason: 'replaces' }]);
    const reason = trustMessages.wouldReplace('bundled', 'release');
    expect((await project.run(['list'], { env })).err).toContain(reason);
    expect((await project.run(['show', 'release'], { env })).err).toContain(
      trustMessages.otherFile('release', reason, 'bundled'),
    );
    expect((await atTerminal(project, ['show', 'my-release'])).out).not.toContain('workflowlookup trust');
  });
});

describe.skipIf(!canOpenTerminal)('a person who writes their own workflow', () => {
  test('is asked for trust once, by init, and not when they save it', async () => {
    const project = await openTestProject(entry);
    const made = await atTerminal(project, ['init', '--id', 'tea-time'], 'y\n');
    expect(made.code).toBe(0);
    expect(made.out.split('(y/N)')).toHaveLength(2);
    const file = 'workflows/tea-time.yaml';
    const text = await project.read(file);
    for (const version of [1, 2, 3, 4, 5]) {
      await project.write(file, text.replace(/^description: .*$/m, `description: Version ${version}`));
      expect(await served(project)).toEqual(['tea-time']);
      for (const args of [
        ['lint', './workflows'],
        ['show', 'tea-time'],
        ['test', './workflows'],
      ]) {
        const { code, out, err } = await project.run(args, { env });
        expect({ code, err, isAboutTrust: /trust/i.test(out) }).toEqual({
          code: 0,
          err: '',
          isAboutTrust: false,
        });
      }
    }
    expect(await listed(project)).toMatchObject({ folders: [expect.anything()], untrusted: [] });
  });
});

describe.skipIf(!canOpenTerminal)('a person who declines', () => {
  test.each([[['trust', 'workflows/release.yaml']], [['trust', '--folder', 'workflows']]])(
    'makes %j exit with 1, and nothing is trusted',
    async (args) => {
      const project = await openProject();
      const { code, out } = await atTerminal(project, args, 'n\n');
      expect({ code, isError: out.includes('INVALID_INPUT') }).toEqual({ code: 1, isError: false });
      expect(await listed(project)).toMatchObject({ folders: [], definitions: [] });
    },
  );
});
