#!/usr/bin/env node
import module from 'node:module';
import { nodeProblem } from '@workflowlookup/host/flags';
import manifest from '../package.json' with { type: 'json' };
import { endWithReader } from './end-with-reader.ts';

const { version } = manifest;
const { env } = process;
const args = process.argv.slice(2);
const line = args.join(' ');
const tooOld = nodeProblem(process.versions.node);

if (tooOld !== undefined) {
  process.stderr.write(`workflowlookup: ${tooOld}\n`);
  process.exitCode = 2;
} else if (line === '--version' || line === '-v') {
  // Scripts ask for the version often, so it is printed before a parser is loaded.
  endWithReader(process.stdout);
  process.stdout.write(`${version}\n`);
} else {
  // Node 22.8 and later can keep compiled code between starts.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  if (line === 'list' || line === 'list --json') {
    const { listAtOnce } = await import('./list-at-once.ts');
    await listAtOnce({ args, env, version });
  } else {
    const { run } = await import('./run.ts');
    await run({ args, env, version });
  }
}
