#!/usr/bin/env node
import module from 'node:module';
import { nodeProblem } from '@workflowlookup/host/flags';

const tooOld = nodeProblem(process.versions.node);

if (tooOld === undefined) {
  // Node 22.8 and later can keep compiled code between starts.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  const { run } = await import('./run.ts');
  await run({ args: process.argv.slice(2), env: process.env });
} else {
  process.stderr.write(`workflowlookup-stdio: ${tooOld}\n`);
  process.exitCode = 2;
}
