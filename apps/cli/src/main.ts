#!/usr/bin/env node
import module from 'node:module';
import manifest from '../package.json' with { type: 'json' };

const { version } = manifest;
const { env } = process;
const args = process.argv.slice(2);
const line = args.join(' ');

// Scripts ask for these again and again: they are told before a parser is loaded.
if (line === '--version' || line === '-v') {
  process.stdout.write(`${version}\n`);
} else {
  // Present from Node 22.8 on: compiled code is kept between starts.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  if (line === 'list' || line === 'list --json') {
    const { listAtOnce } = await import('./list-at-once.ts');
    await listAtOnce({ args, env, version });
  } else {
    const { run } = await import('./run.ts');
    await run({ args, env, version });
  }
}
