import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { createHash } from 'node:crypto';
import type { Environment } from '../../commands/command-line.ts';
import { fileBindings, noteRun } from './bindings.ts';
import type { HookClient, HookEvent } from './events.ts';
import { hookClients, readEvent, replyText } from './events.ts';
import { hookReplies } from '../../messages/hook-replies.ts';
import { defaultPolicy, readPolicy, textOfFile } from './policy.ts';
import type { HookReply } from './rules.ts';
import { applyRules } from './rules.ts';
import { createHookEngine, readSession } from './sessions.ts';

/** A call of `workflowlookup hook`. */
interface HookCall {
  /** The arguments after `hook`. */
  readonly args: readonly string[];
  readonly env: Environment;
}

/**
 * Reads the event of a client from standard input, applies the rules, and prints the reply in the client's format. An
 * error in the hook itself is logged, and the client continues, unless the policy blocks tools in that case.
 * It always exits with 0, because clients treat other codes in different ways.
 */
export async function runHook({ args, env }: HookCall): Promise<void> {
  const { client, stateDirectory } = readArguments(args, env);
  if (client === undefined) {
    process.stderr.write(`${hookReplies.unknownClient(hookClients)}\n`);
    process.exitCode = 2;
    return;
  }
  const bindings = fileBindings(stateDirectory);
  let [event, policy, reply]: [HookEvent | undefined, typeof defaultPolicy, HookReply] = [
    undefined,
    defaultPolicy,
    { kind: 'none' },
  ];
  try {
    const text = readInput();
    event = readEvent(client, text, {
      turnOf: (transcript) => turnOf(text, transcript),
      process: env['CLAUDE_PID'] ?? String(process.ppid),
    });
    if (event === undefined) return;
    if (event.kind === 'session-begins') noteRun(stateDirectory, client);
    const found = await readPolicy(foldersOf(event, env), homedir());
    policy = found.policy;
    for (const problem of found.problems) bindings.logError(problem, 'policy');
    reply = await applyRules(
      {
        bindings,
        policy,
        view: (sid) => readSession(stateDirectory, sid),
        engine: createHookEngine(stateDirectory, env),
        compaction: compactionIn,
        mayBeCheck,
        now: () => new Date(),
      },
      event,
    );
  } catch (error) {
    logQuietly(() => bindings.logError(error, event?.name ?? 'event'));
    const isBlocked = event?.kind === 'before-tool' && policy.failure === 'block';
    reply = isBlocked ? { kind: 'deny', reason: hookReplies.hookFailed() } : { kind: 'none' };
  }
  const answer = replyText(client, event, reply);
  if (answer !== undefined) process.stdout.write(`${answer}\n`);
}

/** Returns the text of standard input. A pipe that has nothing yet may refuse to be read, and is read again. */
function readInput(): string {
  const untilMs = Date.now() + maxInputMs;
  for (;;) {
    try {
      return readFileSync(0, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || Date.now() > untilMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/**
 * Returns the folders whose policy applies. An agent that leaves the folder of the project must still follow its
 * policy.
 */
function foldersOf({ cwd, roots }: HookEvent, env: Environment): readonly string[] {
  const project = env['CLAUDE_PROJECT_DIR'];
  return [cwd, ...roots, ...(project === undefined ? [] : [project])].map((folder) => resolve(folder));
}

/** Logs an error of the hook. An error of the log itself is ignored. */
function logQuietly(log: () => void): void {
  try {
    log();
  } catch {
    // The client must work on.
  }
}

/** Returns a value that differs for each stop, because the client writes to its transcript in between. */
function turnOf(text: string, transcript: string): string | undefined {
  try {
    return createHash('sha256')
      .update(`${statSync(transcript).size} ${text}`)
      .digest('hex')
      .slice(0, 16);
  } catch {
    // Some clients name a transcript that they don't write.
    return undefined;
  }
}

/** The server does not read a larger file of checks either. */
const maxChecksBytes = 1024 * 1024;

function mayBeCheck(folder: string, command: string): boolean {
  try {
    const text = textOfFile(join(folder, '.workflowlookup', 'checks.yaml'), maxChecksBytes);
    const words = command.split(/[\s'"\\]+/).filter((word) => word !== '');
    return words.length > 0 && words.every((word) => text.includes(word));
  } catch {
    // The folder has no checks.
    return false;
  }
}

/** How long the hook waits for its event. Clients end a hook after ten seconds. */
const maxInputMs = 5000;

/** The most bytes of a transcript to read for one event. */
const maxReadBytes = 8 * 1024 * 1024;

/** Gemini CLI sets all messages again when it compacts them, and begins them with a summary in this element. */
function compactionIn(
  transcript: string,
  after: number,
): { readonly readBytes: number; readonly isCompacted: boolean } {
  let file: number | undefined;
  try {
    file = openSync(transcript, 'r');
    const readBytes = statSync(transcript).size;
    const from = Math.max(after, readBytes - maxReadBytes);
    const bytes = Buffer.alloc(Math.max(0, readBytes - from));
    readSync(file, bytes, 0, bytes.length, from);
    return { readBytes, isCompacted: /"\$set":\{"messages":.*<state_snapshot>/.test(bytes.toString('utf8')) };
  } catch {
    // Some clients name a transcript that they don't write.
    return { readBytes: after, isCompacted: false };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readArguments(
  args: readonly string[],
  env: Environment,
): { readonly client: HookClient | undefined; readonly stateDirectory: string } {
  const { values } = process.getBuiltinModule('node:util').parseArgs({
    args: [...args],
    options: { client: { type: 'string' }, state: { type: 'string' } },
    strict: false,
  });
  // The value is true where the flag has none.
  const given = typeof values.state === 'string' ? values.state : undefined;
  const state = given ?? env['WORKFLOWLOOKUP_STATE'] ?? '';
  return {
    client: hookClients.find((one) => one === values.client),
    stateDirectory:
      state === ''
        ? join(homedir(), '.workflowlookup', 'state')
        : resolve(state.replace(/^~(?=$|\/)/, homedir())),
  };
}
