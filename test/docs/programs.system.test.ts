import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { blocks, repository } from '../support/documents.ts';

/** The TypeScript blocks in the READMEs of core and host. */
const programs = blocks().filter(
  ({ file, info }) => info === 'ts' && ['packages/core/README.md', 'packages/host/README.md'].includes(file),
);

async function outputOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'docs-program-'));
  try {
    const outfile = join(folder, 'program.mjs');
    await build({
      stdin: { contents: text, loader: 'ts', resolveDir: join(repository, 'examples') },
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      conditions: ['@workflowlookup/source'],
      external: ['libsql', 'pg'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      outfile,
      logLevel: 'error',
    });
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('The first program in the README of core shows a refusal, a waiting checkpoint and a completed session', async () => {
  const output = await outputOf(programs[0]?.text ?? '');
  const statuses = [...output.matchAll(/status: '(\w+)'/g)].map(([, status]) => status);
  expect(statuses).toEqual(['active', 'refused', 'active', 'waiting', 'refused', 'completed']);
});

test('The refusal in the README of core matches the output of its first program', async () => {
  const asJson = 'console.log = (value) => process.stdout.write(`${JSON.stringify(value)}\\n`);';
  const lines = (await outputOf((programs[0]?.text ?? '').replace('\n\n', `\n${asJson}\n`))).split('\n');
  const shown = blocks().find(({ file, info }) => file === 'packages/core/README.md' && info === 'json');
  expect(JSON.parse(shown?.text ?? '')).toEqual(JSON.parse(lines[1] ?? ''));
});

test('The second program in the README of core reads a field in a condition', async () => {
  const program = programs[1]?.text ?? '';
  expect(await outputOf(program)).toMatch(/^\{\s*status: 'active',\s*activity: \{\s*id: 'alert'/);
  expect(await outputOf(program.replace("severity: 'high' } } }", "severity: 'low' } } }"))).toMatch(
    /^\{ status: 'completed'/,
  );
});

test('The third program in the README of core shows its checkpoint to the user and completes', async () => {
  expect((await outputOf(programs[2]?.text ?? '')).trim()).toMatch(/^Publish this release\?.*\ncompleted$/);
});
