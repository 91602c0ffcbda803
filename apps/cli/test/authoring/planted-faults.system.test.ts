import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestProject } from '../support/test-project.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

const faults = fileURLToPath(new URL('faults/', import.meta.url));
let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

interface Fault {
  readonly fault: string;
  /** The fixture, the file in it and the position of the problem. */
  readonly place: string;
  readonly code: string;
  /** Whether lint can find it without exploring the workflow. */
  readonly isStatic: boolean;
}

const planted: readonly Fault[] = [
  {
    fault: 'an unreachable step',
    place: 'unreachable-step.yaml:21:23',
    code: 'never-holds',
    isStatic: false,
  },
  {
    fault: "a condition that can't hold",
    place: 'impossible-condition.yaml:12:19',
    code: 'never-holds',
    isStatic: true,
  },
  {
    fault: 'an endless loop',
    place: 'endless-loop.yaml:15:11',
    code: 'endless-loop',
    isStatic: false,
  },
  {
    fault: 'a missing transition',
    place: 'missing-transition/workflow.yaml:15:7',
    code: 'missing-transition',
    isStatic: false,
  },
  {
    fault: 'a checkpoint that nobody can pass',
    place: 'checkpoint-nobody-can-pass/workflow.yaml:17:9',
    code: 'impassable-checkpoint',
    isStatic: false,
  },
  {
    fault: 'an unused variable',
    place: 'unused-variable.yaml:6:11',
    code: 'unused-variable',
    isStatic: true,
  },
  {
    fault: 'a wrong effect target',
    place: 'wrong-effect-target/workflow.yaml:19:29',
    code: 'unknown-activity',
    isStatic: true,
  },
  {
    fault: 'a shadowed id',
    place: 'shadowed-id/workflow.yaml:22:17',
    code: 'duplicate-id',
    isStatic: true,
  },
  {
    fault: 'criteria that reject everything',
    place: 'impossible-criteria.yaml:10:7',
    code: 'impossible-criteria',
    isStatic: true,
  },
  {
    fault: 'a prompt variable that is never set',
    place: 'unset-variable.yaml:11:13',
    code: 'unset-variable',
    isStatic: true,
  },
];

/**
 * Runs a command on a fixture. Returns the problems that it reports, in the form of {@link planted}, and its exit code.
 */
async function run(command: 'lint' | 'test', place: string) {
  const project = await openTestProject(entry);
  const [fixture = ''] = place.split(/[/:]/);
  await cp(join(faults, fixture), join(project.root, fixture), { recursive: true });
  const { code, out } = await project.run([command, fixture, '--json']);
  const { findings } = jsonOf(command, out) as {
    findings: (Record<'code' | 'file' | 'suggestion', string> & Record<'column' | 'line', number>)[];
  };
  expect(findings.filter(({ suggestion }) => suggestion === '')).toEqual([]);
  const found = findings.map(({ file, line, column, code: kind }) => ({
    place: `${file}:${line}:${column}`,
    code: kind,
  }));
  return { code, found };
}

describe.each(planted)('$fault', ({ fault: _fault, isStatic, ...finding }) => {
  test('is the only problem that test finds, with its position and a fix', async () => {
    expect(await run('test', finding.place)).toEqual({ code: 1, found: [finding] });
  });

  test('is also found by lint if it needs no exploration', async () => {
    expect((await run('lint', finding.place)).found).toEqual(isStatic ? [finding] : []);
  });
});

test('Each fault has its own definition', async () => {
  const places = planted.map(({ place }) => place.split(/[/:]/)[0]);
  expect(new Set(places)).toEqual(new Set(await readdir(faults)));
  expect(places.length).toBe(10);
});
