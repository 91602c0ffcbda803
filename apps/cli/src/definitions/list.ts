import type { Host } from '@workflowlookup/host';
import type { BundledWorkflow } from '@workflowlookup/host/bundled';
import { bundledAlone } from '@workflowlookup/host/bundled';
import type { WorkflowSummary } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { hostOptionsOf, withDefinitions } from '../open-host.ts';
import { columns } from '../terminal/plain-text.ts';

/** The most definitions that the note below the list names. */
const maxNamed = 20;

// This file imports no code that reads definitions, because `workflowlookup` without a command starts with it.
export async function list(context: CommandContext, flags: SourceFlags): Promise<ExitCode> {
  const { answer, terminal } = context;
  // If only bundled workflows are served, the engine is not loaded.
  const bundled = bundledAlone(await hostOptionsOf(context, flags));
  const { workflows, refused, untrusted } =
    bundled === undefined
      ? await withDefinitions(context, flags, readListing)
      : { workflows: bundledEntries(bundled), refused: 0, untrusted: [] };
  const code = await answer({ workflows, refused, untrusted: untrusted.length }, () =>
    listingText(workflows),
  );
  if (refused > 0) {
    await terminal.warn(`${messages.definitions.refused(refused)}\n`);
  }
  if (untrusted.length > 0) {
    const { reasonText } = await import('./trust-review.ts');
    const names = untrusted
      .slice(0, maxNamed)
      .map((one) => `${one.id ?? '(no id)'} from ${one.source ?? 'the project'}: ${reasonText(one)}`);
    await terminal.warn(`${messages.definitions.untrusted(untrusted.length, names)}\n`);
  }
  return code;
}

/** A workflow that is served. */
type Entry = WorkflowSummary & { readonly source?: string; readonly file?: string };

function listingText(workflows: readonly Entry[]): string {
  if (workflows.length === 0) return 'No workflows.';
  return columns([
    ['WORKFLOW', 'VERSION', 'SOURCE', 'NAME'],
    ...workflows.map(({ id, version, source = '', name }) => [id, version, source, name]),
  ]);
}

/** `meta` only provides shared parts, so the list leaves it out. `show meta` still finds it. */
function bundledEntries(bundled: readonly BundledWorkflow[]): readonly Entry[] {
  return bundled
    .filter(({ id }) => id !== 'meta')
    .map(({ kind: _kind, digest: _digest, ...summary }) => ({ ...summary, source: 'bundled' }));
}

/** Returns what is served, and what is not because of errors or because no person has trusted it. */
async function readListing({ engine, definitions }: Host) {
  const { workflows: summaries, problems = [], untrusted = [] } = await engine.list();
  const workflows = await Promise.all(
    summaries.map(async (summary) => ({ ...summary, ...(await definitions.origin(summary.id)) })),
  );
  const refused = problems.filter(({ severity }) => severity === 'error').length;
  return { workflows, refused, untrusted };
}
