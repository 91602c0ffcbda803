#!/usr/bin/env node
import module from 'node:module';

// Present from Node 22.8 on; compiled code is then kept between starts.
module.enableCompileCache?.();

const { run } = await import('./run.ts');
await run({ args: process.argv.slice(2), env: process.env });
