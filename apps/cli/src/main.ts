#!/usr/bin/env node
import module from 'node:module';
import manifest from '../package.json' with { type: 'json' };

const { version } = manifest;
const [first, ...more] = process.argv.slice(2);

// Scripts ask for it again and again: it is told before anything is loaded.
if ((first === '--version' || first === '-v') && more.length === 0) {
  process.stdout.write(`${version}\n`);
} else {
  // Present from Node 22.8 on: compiled code is kept between starts.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  const { run } = await import('./run.ts');
  await run({ args: process.argv.slice(2), env: process.env, version });
}
