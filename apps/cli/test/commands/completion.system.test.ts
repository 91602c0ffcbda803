import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestCli } from '../support/test-cli.ts';
import { atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  cli = await openTestCli(entry);
});

afterEach(() => cli.dispose());

afterAll(() => removeApp(entry));

/** Returns the suggestions for the last of these words, and the directive line that follows them. */
async function completed(
  ...words: readonly string[]
): Promise<{ values: readonly string[]; directive: string }> {
  const { code, out, err } = await cli.run(['complete', '--', ...words]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const lines = out.trim().split('\n');
  return {
    values: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''),
    directive: lines.at(-1) ?? '',
  };
}

const valuesOf = async (...words: readonly string[]) => (await completed(...words)).values;

describe('completion of a command line', () => {
  test.each([
    { words: ['se'], values: ['sessions', 'serve'] },
    { words: ['sessions', 'ex'], values: ['export'] },
    { words: ['sessions', 'list', '--st'], values: ['--state', '--status'] },
    { words: ['sessions', 'list', '--limit', '5', '--cu'], values: ['--cursor'] },
    { words: ['sessions', 'list', '--limit', ''], values: [] },
    {
      words: ['test', '--'],
      values: expect.arrayContaining(['--no-explore', '--min-coverage', '--junit']) as string[],
    },
    { words: ['test', '--min-coverage', ''], values: [] },
    { words: ['connect', ''], values: ['claude-code', 'claude-desktop', 'vscode', 'cursor', 'codex'] },
    { words: ['connect', 'codex', '--scope', ''], values: ['project', 'user'] },
    { words: ['connect', 'codex', '--scope=u'], values: ['user'] },
    { words: ['connect', 'codex', '--', '--wo'], values: [] },
    { words: ['completion', 'z'], values: ['zsh'] },
    { words: ['graph', '--format', ''], values: ['mermaid', 'svg'] },
    { words: ['run', '--ag'], values: ['--agent'] },
    { words: ['sessions', 'resume', '--pr'], values: ['--print'] },
    { words: ['nonsense', ''], values: [] },
  ])('suggests $values after $words', async ({ words, values }) => {
    expect(await completed(...words)).toEqual({ values, directive: ':4' });
  });

  test('suggests no hidden commands or options', async () => {
    expect(await valuesOf('')).not.toContain('complete');
    expect(await valuesOf('sessions', 'follow', '--e')).toEqual([]);
  });

  test('suggests files and folders where an argument takes them', async () => {
    await writeFile(join(cli.root, 'kept.jsonl'), '');
    await mkdir(join(cli.root, '.hidden'));
    const all = await valuesOf('sessions', 'import', '');
    expect(all.toSorted()).toEqual(['definitions/', 'kept.jsonl']);
    expect(await valuesOf('sessions', 'import', './k')).toEqual(['./kept.jsonl']);
    expect(await valuesOf('sessions', 'list', '--state', '')).toEqual(['definitions/']);
    expect(await completed('sessions', 'list', '--state', '.h')).toEqual({
      values: ['.hidden/'],
      directive: ':6',
    });
    expect(await valuesOf('doctor', '--workflows', 'definitions/')).toEqual(['definitions/errands/']);
    expect(await valuesOf('doctor', '--workflows', 'nowhere/')).toEqual([]);
  });

  test('does not suggest names that a shell would interpret', async () => {
    const names = [
      '$(touch run)',
      '`touch run`',
      'a;b',
      'a b',
      'a&b',
      "a'b",
      '%{b',
      '!b',
      '{a,b}',
      '~b',
      '*',
      '--state',
    ];
    for (const name of names) await writeFile(join(cli.root, name), '');
    await writeFile(join(cli.root, 'Ärger-1_2+3,4@5=6.yaml'), '');
    const found = await valuesOf('lint', '');
    expect(found.filter((name) => !name.endsWith('/'))).toEqual(['Ärger-1_2+3,4@5=6.yaml']);
    expect(await valuesOf('lint', '$')).toEqual([]);
    expect(await valuesOf('lint', '--', '--s')).toEqual(['--state']);
  });

  test('does not suggest session ids that no server creates', async () => {
    const { sid } = await atFetch(cli);
    await cli.host.close();
    const db = new Database(join(cli.state, 'sessions.db'));
    db.pragma('foreign_keys = OFF');
    db.prepare('UPDATE sessions SET sid = ? WHERE sid = ?').run('planted', sid);
    db.close();
    expect(await valuesOf('sessions', 'show', '')).toEqual([]);
  });

  test('suggests the ids of sessions, keys and workflows, with a description', async () => {
    const { sid } = await atFetch(cli);
    const made = await cli.run(['keys', 'create', '--principal', 'ana', '--scope', 'read', '--json']);
    const { key } = JSON.parse(made.out) as { key: { id: string } };
    const { out } = await cli.run(['complete', '--', 'sessions', 'show', sid.slice(0, 4)]);
    expect(out).toBe(`${sid}\terrands, active\n:4\n`);
    expect(await valuesOf('keys', 'revoke', '')).toEqual([key.id]);
    expect(await valuesOf('sessions', 'list', '--workflow', 'security')).toEqual(['security-audit']);
    expect(await valuesOf('sessions', 'list', '--state', 'elsewhere', '--workflow', 'none')).toEqual([]);
    expect(await valuesOf('sessions', 'show', '--state', 'elsewhere', '')).toEqual([]);
    expect(await readdir(cli.root)).not.toContain('elsewhere');
  });

  test('suggests nothing if the stored data cannot be read', async () => {
    await mkdir(cli.state, { mode: 0o700 });
    await writeFile(join(cli.state, 'sessions.db'), 'no database');
    expect(await completed('sessions', 'show', '')).toEqual({ values: [], directive: ':4' });
    expect(await completed('sessions', 'show', '--database', 'mysql://x', '')).toEqual({
      values: [],
      directive: ':4',
    });
  });
});

const bashCompletion = '/usr/share/bash-completion/bash_completion';

/** Runs a script in a shell. The current folder has the completion script, and the program is on the PATH. */
async function inShell(shell: 'bash' | 'fish', script: string): Promise<string> {
  const program = join(cli.root, 'workflowlookup');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, { mode: 0o755 });
  const { out } = await cli.run(['completion', shell]);
  await writeFile(join(cli.root, 'completion'), out);
  const { stdout } = await promisify(execFile)(shell, ['-c', script], {
    cwd: cli.root,
    env: { PATH: `${cli.root}:${process.env['PATH']}`, HOME: cli.root, WORKFLOWLOOKUP_STATE: cli.state },
  });
  return stdout;
}

const has = (shell: string, probe: string): boolean => spawnSync(shell, ['-c', probe]).status === 0;

/** A replacement for the function of bash-completion that the script calls. */
const wordsByRef = `_get_comp_words_by_ref() {
  cur=\${COMP_WORDS[COMP_CWORD]}; words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD
}`;

test.skipIf(!has('bash', 'true'))('Bash does not run commands in a suggestion', async () => {
  const hostile = '$(touch run)`touch run`';
  await writeFile(join(cli.root, `${hostile}.yaml`), '');
  await writeFile(join(cli.root, 'good.yaml'), '');
  const ask = `${wordsByRef}; . ./completion; COMP_WORDS=(workflowlookup lint ''); COMP_CWORD=2; __workflowlookup_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  expect(await inShell('bash', ask)).toContain('good.yaml');
  // The script does not run it even if the program suggests such a name.
  const script = `workflowlookup() { printf '%s\\n' '${hostile}' 'good\tas is' :4; }; ${ask}`;
  expect(await inShell('bash', script)).toBe(`${hostile}\ngood\n`);
  expect(await readdir(cli.root)).not.toContain('run');
});

test.skipIf(!has('bash', `test -f ${bashCompletion}`))(
  'Bash completes with its package bash-completion',
  async () => {
    const line =
      'COMP_LINE="workflowlookup sessions exp"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=($COMP_LINE); COMP_CWORD=2';
    const ask = `. ${bashCompletion}; . ./completion; ${line}; __workflowlookup_complete; echo "\${COMPREPLY[@]}"`;
    expect(await inShell('bash', ask)).toBe('export\n');
  },
);

test.skipIf(!has('fish', 'true'))('Fish completes', async () => {
  const ask = 'source completion; complete --do-complete "workflowlookup connect vs"';
  expect(await inShell('fish', ask)).toBe('vscode\n');
});

test.skipIf(!has('zsh', 'true'))('Zsh can parse its script', async () => {
  const { out } = await cli.run(['completion', 'zsh']);
  expect(out).toMatch(/^#compdef workflowlookup\n/);
  const { status, stderr } = spawnSync('zsh', ['-n'], { input: out, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.each([
  { args: ['completion'], says: "missing required argument 'shell'" },
  { args: ['completion', 'tcsh'], says: 'Allowed choices are bash, zsh, fish' },
])('The command completion refuses $args', async ({ args, says }) => {
  const { code, out, err } = await cli.run(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(says);
});
