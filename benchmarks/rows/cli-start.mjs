import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave } from '../figures/interleave.mjs';
import { compare } from '../figures/result.mjs';
import { environmentOf } from '../clients/stdio-client.mjs';

export const name = 'cli-start';

const cli = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

/** Measures CLI commands from start to exit, compared with an empty Node.js script. */
export async function run({ scratch }) {
  const nothing = join(scratch, 'nothing.mjs');
  await writeFile(nothing, '');
  const timed = (args) => () => spawnToEnd(args, scratch);
  const { bare, version, list, sessions } = await interleave(
    {
      bare: timed([nothing]),
      version: timed([cli, '--version']),
      list: timed([cli, 'list']),
      sessions: timed([cli, 'sessions', 'list', '--state', join(scratch, 'none')]),
    },
    { rounds: 20, warmUp: 2 },
  );
  return [
    compare('--version', { unit: 'ms', ours: version, baseline: bare, atMost: 1.5 }),
    compare('list', { unit: 'ms', ours: list, baseline: bare, atMost: 1.5 }),
    compare('sessions list, without sessions', {
      unit: 'ms',
      ours: sessions,
      baseline: bare,
      note: 'loads the parser of the command line and the engine, and no database',
    }),
  ];
}

async function spawnToEnd(args, home) {
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { cwd: home, env: environmentOf(home), stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - startMs;
}
