import { cp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk } from './desk.ts';
import { jsonOf } from './json-schemas.ts';
import { buildCli } from './workshop.ts';

const faults = fileURLToPath(new URL('faults/', import.meta.url));
let entry: string;

beforeAll(async () => {
  entry = await buildCli('planted-faults');
}, 60_000);

afterAll(() => rm(dirname(entry), { recursive: true, force: true }));

interface Fault {
  readonly fault: string;
  /** The definition, and the place in it. */
  readonly place: string;
  readonly code: string;
  readonly message: string;
  readonly help: string;
  /** Whether the text alone shows it. */
  readonly isStatic: boolean;
}

const planted: readonly Fault[] = [
  {
    fault: 'an unreachable step',
    place: 'unreachable-step.yaml:21:23',
    code: 'never-holds',
    message: `'can == "small"' never holds when it is looked at: step 'fill-again' is never reached`,
    help: 'Correct the condition or what sets its variables, or remove what it guards',
    isStatic: false,
  },
  {
    fault: "a condition that can't hold",
    place: 'impossible-condition.yaml:12:19',
    code: 'never-holds',
    message: 'No values of the variables satisfy this condition, so the step never runs.',
    help: 'Correct the condition, or remove the step.',
    isStatic: true,
  },
  {
    fault: 'an endless loop',
    place: 'endless-loop.yaml:15:11',
    code: 'endless-loop',
    message: "Only its maxIterations ends loop 'until-clean': nothing in it changes what its condition reads",
    help: 'Let a step in the loop set a variable of its condition',
    isStatic: false,
  },
  {
    fault: 'a missing transition',
    place: 'missing-transition/workflow.yaml:15:7',
    code: 'missing-transition',
    message: `From activity 'open' no way is open with kind = "something else": the session ends there`,
    help: "Add a default transition, to 'end' if that is meant",
    isStatic: false,
  },
  {
    fault: 'a gate nobody can pass',
    place: 'gate-nobody-can-pass/workflow.yaml:17:9',
    code: 'impassable-gate',
    message: "Nobody gets past checkpoint 'good' of activity 'taste': every answer leads back to it",
    help: 'Let an answer lead on',
    isStatic: false,
  },
  {
    fault: 'an unused variable',
    place: 'unused-variable.yaml:6:11',
    code: 'unused-variable',
    message: "Variable 'weather' is declared but never used",
    help: 'Remove it, or use it in a condition or a text',
    isStatic: true,
  },
  {
    fault: 'a wrong effect target',
    place: 'wrong-effect-target/workflow.yaml:19:29',
    code: 'unknown-activity',
    message: "Checkpoint 'worth-it' leads to activity 'repiar', but the workflow has no such activity",
    help: "Did you mean 'repair'?",
    isStatic: true,
  },
  {
    fault: 'a shadowed id',
    place: 'shadowed-id/workflow.yaml:22:17',
    code: 'duplicate-id',
    message: "Step id 'label' is used by the activity itself and by loop 'each-box'",
    help: 'Give every step of the activity its own id',
    isStatic: true,
  },
  {
    fault: 'criteria that reject everything',
    place: 'impossible-criteria.yaml:10:7',
    code: 'impossible-criteria',
    message: 'No output has at least 12 and at most 8 characters.',
    help: 'Correct the criteria: until then every output is refused.',
    isStatic: true,
  },
  {
    fault: 'a prompt variable that is never set',
    place: 'unset-variable.yaml:11:13',
    code: 'unset-variable',
    message: "Nothing sets 'shelf', which is shown in 'prompt' of step 'return-it'",
    help: "Name 'shelf' in an earlier step as a variable to set, give it a default, or declare it with required: true",
    isStatic: true,
  },
];

/** What a command finds in the fixture of a place, in the form of {@link planted}, and how it ends. */
async function run(command: 'lint' | 'test', place: string) {
  const desk = await openDesk(entry);
  const [fixture = ''] = place.split(/[/:]/);
  await cp(join(faults, fixture), join(desk.root, fixture), { recursive: true });
  const { code, out } = await desk.run([command, fixture, '--json']);
  const { findings } = jsonOf(command, out) as {
    findings: (Record<'code' | 'file' | 'message' | 'suggestion', string> &
      Record<'column' | 'line', number>)[];
  };
  const found = findings.map(({ file, line, column, code: kind, message, suggestion: help }) => ({
    place: `${file}:${line}:${column}`,
    code: kind,
    message,
    help,
  }));
  return { code, found };
}

describe.each(planted)('$fault', ({ fault: _fault, isStatic, ...finding }) => {
  test('is found by test, with its place and what would fix it, and nothing else is', async () => {
    expect(await run('test', finding.place)).toEqual({ code: 1, found: [finding] });
  });

  test('is found by lint too where the text alone shows it', async () => {
    expect((await run('lint', finding.place)).found).toEqual(isStatic ? [finding] : []);
  });
});

test('each fault has a definition of its own', async () => {
  const places = planted.map(({ place }) => place.split(/[/:]/)[0]);
  expect(new Set(places)).toEqual(new Set(await readdir(faults)));
  expect(places.length).toBe(10);
});
