import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canOpenTerminal } from './at-terminal.ts';
import { flow } from './definitions.ts';
import type { Desk } from './desk.ts';
import { openDesk } from './desk.ts';
import { jsonOf } from './json-schemas.ts';
import { buildCli, removeApp } from './workshop.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

/** Most tests trust the project by the environment; here each person decides for themselves. */
const env = { WORKFLOWLOOKUP_TRUST_PROJECT: '0', NO_COLOR: '1' };

const atTerminal = (desk: Desk, args: readonly string[], input = '') =>
  desk.run(args, { env, inTerminal: true, input });

interface Listed {
  readonly folders: readonly unknown[];
  readonly definitions: readonly { readonly path: string; readonly isChanged?: boolean }[];
  readonly untrusted: readonly { readonly id?: string; readonly reason: string }[];
}

async function listed(desk: Desk, ...more: readonly string[]): Promise<Listed> {
  return jsonOf('trust', (await desk.run(['trust', '--list', '--json', ...more], { env })).out) as Listed;
}

async function served(desk: Desk): Promise<readonly string[]> {
  const { out } = await desk.run(['list', '--json', '--no-bundled'], { env });
  return (JSON.parse(out) as { workflows: { id: string }[] }).workflows.map(({ id }) => id);
}

const openProject = (): Promise<Desk> =>
  openDesk(entry, {
    'workflows/release.yaml': JSON.stringify(flow('my-release')),
    'workflows/other.yaml': JSON.stringify(flow('other-flow')),
  });

describe.skipIf(!canOpenTerminal)('one definition of a project', () => {
  test.each(['workflows/release.yaml', './workflows/release.yaml', 'absolute', 'my-release'])(
    'is listed, trusted and no longer trusted by its path or id: %s',
    async (given) => {
      const desk = await openProject();
      const name = given === 'absolute' ? join(desk.root, 'workflows/release.yaml') : given;
      expect((await listed(desk, name)).untrusted).toMatchObject([{ id: 'my-release' }]);
      expect((await atTerminal(desk, ['trust', name], 'y\n')).code).toBe(0);
      expect(await served(desk)).toEqual(['my-release']);
      expect(await listed(desk, name)).toMatchObject({ definitions: [{}], untrusted: [] });
      // It is trusted already, so nothing is asked.
      expect((await desk.run(['trust', name], { env })).code).toBe(0);
      const removed = await desk.run(['trust', '--remove', name, '--json'], { env });
      expect(jsonOf('trust', removed.out)).toEqual({ removed: 1 });
      expect(await served(desk)).toEqual([]);
    },
  );

  test('is trusted by the example of the help', async () => {
    const desk = await openProject();
    const { out } = await desk.run(['trust', '--help']);
    const [, example = ''] = /workflowlookup (trust \S+\.yaml)/.exec(out) ?? [];
    expect((await atTerminal(desk, example.split(' '), 'y\n')).code).toBe(0);
    expect(await served(desk)).toEqual(['my-release']);
  });

  test('is refused for a name that does not exist', async () => {
    const desk = await openProject();
    for (const name of ['workflows/nowhere.yaml', 'nowhere'])
      expect((await desk.run(['trust', name], { env })).code).toBe(2);
  });
});

describe.skipIf(!canOpenTerminal)('what is not served', () => {
  test('is listed with its reason, and shown to a person with a note', async () => {
    const desk = await openProject();
    await desk.write('workflows/bundled.yaml', JSON.stringify(flow('release')));
    expect((await atTerminal(desk, ['trust', 'my-release'], 'y\n')).code).toBe(0);
    await desk.write('workflows/release.yaml', JSON.stringify({ ...flow('my-release'), version: '9.0.0' }));
    const { definitions, untrusted } = await listed(desk);
    expect(definitions).toMatchObject([{ isChanged: true }]);
    expect(Object.fromEntries(untrusted.map(({ id = '', reason }) => [id, reason]))).toEqual({
      'my-release': 'changed',
      'other-flow': 'untrusted',
      release: 'untrusted',
    });
    const sources = await desk.run(['sources', '--json'], { env });
    expect(sources.code).toBe(1);
    expect(sources.out).toContain('my-release');
    const { out } = await desk.run(['doctor'], { env });
    expect(out).not.toContain('No problems found');
    for (const command of ['show', 'graph'])
      expect((await atTerminal(desk, [command, 'my-release'])).out).toContain('Agents do not get');
    expect((await desk.run(['show', 'my-release'], { env })).err).not.toContain('Ask the user');
    expect((await atTerminal(desk, ['show', 'other-flow'])).code).toBe(0);

    expect((await atTerminal(desk, ['trust', '--folder', 'workflows'], 'y\n')).code).toBe(0);
    expect((await listed(desk)).untrusted).toMatchObject([{ id: 'release', reason: 'replaces' }]);
    expect((await desk.run(['list'], { env })).err).toContain("the bundled workflow 'release'");
    expect((await desk.run(['show', 'release'], { env })).err).toContain('This is the bundled workflow');
    expect((await atTerminal(desk, ['show', 'my-release'])).out).not.toContain('not served');
  });
});

describe.skipIf(!canOpenTerminal)('a person who writes their own workflow', () => {
  test('is asked once, by init, and hears nothing of trust when they save it', async () => {
    const desk = await openDesk(entry);
    const made = await atTerminal(desk, ['init', '--id', 'tea-time'], 'y\n');
    expect(made.code).toBe(0);
    expect(made.out.split('(y/N)')).toHaveLength(2);
    const file = 'workflows/tea-time.yaml';
    const text = await desk.read(file);
    for (const version of [1, 2, 3, 4, 5]) {
      await desk.write(file, text.replace(/^description: .*$/m, `description: Version ${version}`));
      expect(await served(desk)).toEqual(['tea-time']);
      for (const args of [
        ['lint', './workflows'],
        ['show', 'tea-time'],
        ['test', './workflows'],
      ]) {
        const { code, out, err } = await desk.run(args, { env });
        expect({ code, err, isAboutTrust: /trust/i.test(out) }).toEqual({
          code: 0,
          err: '',
          isAboutTrust: false,
        });
      }
    }
    expect(await listed(desk)).toMatchObject({ folders: [expect.anything()], untrusted: [] });
  });
});

describe.skipIf(!canOpenTerminal)('a person who declines', () => {
  test.each([[['trust', 'workflows/release.yaml']], [['trust', '--folder', 'workflows']]])(
    'ends %j with 1, and nothing is trusted',
    async (args) => {
      const desk = await openProject();
      const { code, out } = await atTerminal(desk, args, 'n\n');
      expect({ code, isError: out.includes('INVALID_INPUT') }).toEqual({ code: 1, isError: false });
      expect(await listed(desk)).toMatchObject({ folders: [], definitions: [] });
    },
  );
});
