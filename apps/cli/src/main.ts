#!/usr/bin/env node
import module from 'node:module';
import { nodeProblem } from '@workflowlookup/host/flags';
import manifest from '../package.json' with { type: 'json' };

const { version } = manifest;
const { env } = process;
const args = process.argv.slice(2);
const line = args.join(' ');
const asJson = args.includes('--json');
const tooOld = nodeProblem(process.versions.node);

if (tooOld !== undefined) {
  process.stderr.write(`workflowlookup: ${tooOld}\n`);
  process.exitCode = 2;
} else if (line === '--version' || line === '-v') {
  // Scripts ask for the version often, so the program loads nothing else.
  print(`${version}\n`);
} else if (args[0] === 'hook' && args.slice(1).every((word) => !/^-(?!-client\b|-state\b)/.test(word))) {
  // A client waits for its hooks, so they load nothing that they may not need.
  const { runHook } = await import('./hooks/hook/hook.ts');
  await runHook({ args: args.slice(1), env });
} else {
  // Node 22.8 and later can cache compiled code between starts.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  const listed = /^list(?: --json)?$/.test(line) ? await bundledList() : undefined;
  if (listed !== undefined) print(listed);
  else {
    const program = await import('./commands/program.ts').catch(reportUnloaded);
    await program?.runProgram({ args, env, version });
  }
}

async function bundledList(): Promise<string | undefined> {
  try {
    const { printedBundledList } = await import('./definitions/list.ts');
    return printedBundledList(env, asJson);
  } catch {
    // The other way to list workflows reports what is wrong.
    return undefined;
  }
}

/**
 * Reports that the program can't be loaded, for example because a file is missing, and sets the exit code. It loads no
 * other file, which may be missing too.
 */
function reportUnloaded(error: unknown): void {
  const { code = 'INTERNAL', message } = error as NodeJS.ErrnoException;
  const found = { code, message: message.replaceAll(/\s+/g, ' ') };
  const text = asJson ? JSON.stringify({ error: found }) : `workflowlookup: ${found.message} (${code})`;
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}

/** Prints a text. Only if that fails, it loads the code that reports it. */
function print(text: string): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => void exitUnprinted(error));
  process.stdout.write(text);
}

async function exitUnprinted(error: NodeJS.ErrnoException): Promise<void> {
  const { exitUnwritten } = await import('./terminal/terminal.ts');
  exitUnwritten(process.stdout, error, asJson);
}
