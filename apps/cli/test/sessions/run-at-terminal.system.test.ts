import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actTexts, runMessages } from '../../src/messages/sessions.ts';
import { canOpenTerminal, keys, typeAt } from '../support/at-terminal.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { maskSessionIds, openTeaProject, stateFlags, sessionsOf } from './tea-project.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

afterAll(() => removeApp(entry));

describe.skipIf(!canOpenTerminal)('run at a terminal', () => {
  const terminal = (env: Readonly<Record<string, string>> = {}) => ({
    inTerminal: true,
    env: { NO_COLOR: '1', EDITOR: '', ...env },
  });

  test('can be left with Ctrl-C and continued from the same step', async () => {
    const project = await openTeaProject(entry);
    const started = project.start(['run', 'tea', ...stateFlags], terminal());
    await typeAt(started, [
      [`● ${actTexts.type}`, keys.enter],
      [`◆  ${runMessages.output}`, 'It is hot'],
      ['hot', keys.enter + keys.enter],
      [`● ${actTexts.submit}`, keys.enter],
      ['◆  serve:', keys.interrupt],
    ]);
    const { code, out } = await started.ended;
    expect(code).toBe(2);
    const [, sid = ''] = /sessions resume ([0-9a-f]{20}) --state state/.exec(out) ?? [];
    const resumed = project.start(['sessions', 'resume', sid, '--state', 'state'], terminal());
    await typeAt(resumed, [
      [`● ${actTexts.type}`, keys.enter],
      [`◆  ${runMessages.output}`, 'Served'],
      ['Served', keys.enter + keys.enter],
      [`● ${actTexts.submit}`, keys.enter],
      ['● Confirm', keys.enter],
    ]);
    expect((await resumed.ended).code).toBe(0);
    expect(await sessionsOf(project)).toMatchObject([{ sid, status: 'completed' }]);
  });

  test('reads outputs from an editor and variables by name, and asks again after a refusal', async () => {
    const project = await openTeaProject(entry);
    await project.write(
      'editor.sh',
      '#!/bin/sh\ngrep -q cold "$1" && printf "It is hot" > "$1" || printf "It is cold" > "$1"\n',
    );
    const editor = join(project.root, 'editor.sh');
    await chmod(editor, 0o755);
    const started = project.start(['run', 'tea', ...stateFlags], terminal({ EDITOR: editor }));
    await typeAt(started, [
      [`● ${actTexts.write}`, keys.enter],
      [`● ${actTexts.submit}`, keys.enter],
      [runMessages.notAccepted('boil'), ''],
      [`○ ${actTexts.insist}`, keys.enter],
      [`● ${actTexts.submit}`, keys.down + keys.down + keys.down + keys.enter],
      ['● milk', keys.enter],
      ['◆  milk:', `true${keys.enter}`],
      [`● ${actTexts.submit}`, keys.enter],
      ['Pour (pour)', ''],
      [`● ${actTexts.write}`, keys.interrupt],
    ]);
    expect((await started.ended).code).toBe(2);
    const [session] = await sessionsOf(project);
    const { out } = await project.run([
      'sessions',
      'show',
      String(session?.['sid']),
      '--json',
      '--state',
      'state',
    ]);
    expect(jsonOf('sessions-show', out)).toMatchObject({ variables: [{ name: 'milk', to: true }] });
  });
});

test('An interrupt while waiting for a line leaves the session open, and prints how to continue', async () => {
  const project = await openTeaProject(entry);
  const started = project.start(['run', 'tea', ...stateFlags], {
    keepsInputOpen: true,
    input: 'It is hot\n',
  });
  await typeAt(started, [['Serve (serve)', '']]);
  started.child.kill('SIGINT');
  const { code, out } = await started.ended;
  expect(code).toBe(0);
  expect(maskSessionIds(out)).toContain(runMessages.left('SID', 'serve', ''));
  expect(await sessionsOf(project)).toMatchObject([{ status: 'active' }]);
});
