#!/usr/bin/env node
import module from 'node:module';
import { nodeProblem } from '@workflowlookup/host/flags';
import manifest from '../package.json' with { type: 'json' };

const { version } = manifest;
const { env } = process;
const args = process.argv.slice(2);
const line = args.join(' ');
const tooOld = nodeProblem(process.versions.node);

if (tooOld !== undefined) {
  process.stderr.write(`workflowlookup: ${tooOld}\n`);
  process.exitCode = 2;
} else if (line === '--version' || line === '-v') {
  // Scripts ask for the version often, so the program loads nothing else unless it can't print it.
  process.stdout.once('error', (error) => void exitUnprinted(error));
  process.stdout.write(`${version}\n`);
} else if (args[0] === 'hook' && args.slice(1).every((word) => !/^-(?!-client\b|-state\b)/.test(word))) {
  // A client waits for its hooks, so they load nothing that they may not need.
  const { runHook } = await import('./hooks/hook/hook.ts');
  await runHook({ args: args.slice(1), env });
} else {
  // Node 22.8 and later can cache compiled code between starts.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  const { start } = await import('./start.ts');
  await start({ args, env, version });
}

async function exitUnprinted(error: NodeJS.ErrnoException): Promise<void> {
  const { exitUnwritten } = await import('./terminal/terminal.ts');
  exitUnwritten(process.stdout, error);
}
