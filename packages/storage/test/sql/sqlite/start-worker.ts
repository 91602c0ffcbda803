import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TempFolder } from '../../support/temp-folder.ts';

const source = fileURLToPath(new URL('session-worker.ts', import.meta.url));

/**
 * Bundles the worker into a folder that any user may read, next to the libraries that are not bundled. `forAnybody`
 * copies those, because other users may not be able to read the checkout.
 */
export async function bundleWorker(
  folder: TempFolder,
  { withLibsql = true, forAnybody = false } = {},
): Promise<string> {
  const outfile = folder.path('worker', 'session-worker.mjs');
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@workflowlookup/source'],
    external: ['libsql'],
    logLevel: 'error',
  });
  if (withLibsql) {
    const modules = folder.path('worker', 'node_modules');
    const libsql = dirname(createRequire(import.meta.url).resolve('libsql'));
    if (forAnybody) await cp(dirname(libsql), modules, { recursive: true, dereference: true });
    else {
      await mkdir(modules);
      await symlink(libsql, join(modules, 'libsql'));
    }
  }
  await chmod(folder.path(), 0o755);
  return outfile;
}

/** A process of the worker. */
export interface Worker {
  readonly process: ChildProcess;
  /** The lines that it has written so far. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Resolves when it has ended and every line was read. */
  readonly ended: Promise<void>;
}

/** Starts a command whose output is lines of JSON. */
export function startWorker(
  [command, ...args]: readonly [string, ...string[]],
  options: SpawnOptions = {},
): Worker {
  const lines: Record<string, unknown>[] = [];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part) as Record<string, unknown>);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject).on('close', () => resolve());
  });
  return { process: child, lines, ended };
}
