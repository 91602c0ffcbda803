import type { EvidenceResult } from '@workflowlookup/core/sessions';
import type { LocalCollector } from '@workflowlookup/evidence';
import { createCollector, readProjectChecks } from '@workflowlookup/evidence';
import type { Evidence } from '@workflowlookup/schema';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { withState } from '../open-host.ts';
import { askServer } from '../server/remote.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';

export interface VerifyFlags extends StateFlags {
  readonly server: string;
  readonly session: string;
}

/** Evidence that a server asks for. */
interface Asked {
  readonly evidence: Evidence;
  readonly digest: string;
  readonly unset: readonly string[];
  readonly standing: { readonly status: string };
}

/** Evidence as the server has it afterwards. */
interface Standing {
  readonly id: string;
  readonly status: string;
  readonly message?: string;
}

/** Collects in the working folder what a session on a server elsewhere asks for, and reports it there. */
export async function verifySessionWork(line: CommandLine, flags: VerifyFlags): Promise<ExitCode> {
  const { terminal } = line;
  const { answer } = createOutput(terminal, flags.json === true);
  const { server, session } = flags;
  const list = await askServer(line, { server, session, route: 'evidence' });
  const { activity } = list;
  const asked = askedIn(list).filter(({ standing }) => !['passed', 'claimed'].includes(standing.status));
  const todo = asked.filter(({ evidence, unset }) => unset.length === 0 && evidence.level !== 'ci');
  const left = asked
    .filter((one) => !todo.includes(one))
    .map(({ evidence, standing }) => ({ id: evidence.id, status: standing.status }));
  const found = todo.length === 0 ? [] : await collectAll(line, flags, todo);
  const evidence = found.length === 0 ? [] : await report(line, flags, { activity, results: found });
  const all = [...evidence, ...left];
  await answer({ session, ...(typeof activity === 'string' && { activity }), evidence: all }, () =>
    all.length === 0 ? messages.checks.nothingAsked : all.map(standingText).join('\n'),
  );
  return all.every(({ status }) => ['passed', 'not-configured'].includes(status))
    ? exitCodes.ok
    : exitCodes.findings;
}

function standingText({ id, status, message }: Standing): string {
  return `${plainLine(id)}: ${plainLine(message ?? status)}`;
}

/** Reads what a server asks for. */
function askedIn({ asked }: Readonly<Record<string, unknown>>): readonly Asked[] {
  const isAsked = (one: unknown): boolean =>
    isJsonObject(one) &&
    isJsonObject(one['evidence']) &&
    typeof one['evidence']['id'] === 'string' &&
    typeof one['digest'] === 'string' &&
    Array.isArray(one['unset']) &&
    isJsonObject(one['standing']);
  if (Array.isArray(asked) && asked.every(isAsked)) return asked;
  throw new WorkflowError('INVALID_INPUT', messages.remote.otherReply);
}

interface Found {
  readonly evidence: string;
  readonly demand: string;
  readonly result: EvidenceResult;
}

async function collectAll(
  line: CommandLine,
  flags: VerifyFlags,
  todo: readonly Asked[],
): Promise<readonly Found[]> {
  const folder = process.cwd();
  return withState(line, flags, async ({ trust, state }) => {
    await requireTrust(folder, todo, async (path) => (await trust.checks.entry(path))?.digest);
    const collector = createCollector({
      folder,
      stateFolder: state.directory,
      environment: line.env,
      trust: trust.checks,
    });
    try {
      const found: Found[] = [];
      for (const { evidence, digest } of todo)
        found.push({
          evidence: evidence.id,
          demand: digest,
          result: await collect(collector, evidence, line.terminal),
        });
      return found;
    } finally {
      await collector.close();
    }
  });
}

/** The text of the checks may be an agent's, so the person has to trust it first, as for a server. */
async function requireTrust(
  folder: string,
  todo: readonly Asked[],
  trustedDigest: (path: string) => Promise<string | undefined>,
): Promise<void> {
  if (!todo.some(({ evidence }) => 'check' in evidence)) return;
  const project = await readProjectChecks(folder);
  if (project !== undefined && (await trustedDigest(project.path)) !== project.digest)
    throw new WorkflowError('INVALID_STATE', messages.checks.notTrusted);
}

async function collect(
  collector: LocalCollector,
  evidence: Evidence,
  { warn }: Pick<Terminal, 'warn'>,
): Promise<EvidenceResult> {
  await warn(`${messages.checks.collecting(plainLine(evidence.id))}\n`);
  for (;;) {
    const answer = await collector.collect({ key: evidence.id, evidence, waitMs: 600_000 });
    if ('result' in answer) return answer.result;
  }
}

async function report(
  line: CommandLine,
  { server, session }: VerifyFlags,
  { activity, results }: { readonly activity: unknown; readonly results: readonly Found[] },
): Promise<readonly Standing[]> {
  const body = {
    activity,
    results: results.map(({ result: { kind: _kind, level: _level, ...result }, ...one }) => ({
      ...one,
      result,
    })),
  };
  const { evidence } = await askServer(line, { server, session, route: 'evidence', body });
  if (!Array.isArray(evidence)) throw new WorkflowError('INVALID_INPUT', messages.remote.otherReply);
  return evidence.map((one: Readonly<Record<string, unknown>>) => ({
    id: String(one['id']),
    status: String(one['status']),
    ...(typeof one['message'] === 'string' && { message: one['message'] }),
  }));
}
