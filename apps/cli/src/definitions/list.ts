import type { Host, HostOptions } from '@workflowlookup/host';
import { bundledAlone } from '@workflowlookup/host/bundled';
import type { Environment } from '@workflowlookup/host/flags';
import { placeProblem, readHostFlags } from '@workflowlookup/host/flags';
import type { WorkflowSummary } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import { columns, jsonText, printable } from '../terminal/plain-text.ts';

// Agents and scripts list workflows often. If only bundled workflows are served, neither the parser of the command line
// nor the engine is needed, so this file loads the code for other workflows only when it needs it.

/** A workflow in a list. */
type ListedWorkflow = WorkflowSummary & { readonly source?: string; readonly file?: string };

/** Returns what `list` without other flags prints if only bundled workflows are served, and otherwise `undefined`. */
export function printedBundledList(env: Environment, asJson: boolean): string | undefined {
  const options = readHostFlags({}, env);
  // The other way to list workflows reports what is wrong.
  if (typeof options === 'string' || placeProblem(options) !== undefined) return undefined;
  const workflows = bundledList(options);
  if (workflows === undefined) return undefined;
  return asJson
    ? `${jsonText({ workflows, refused: 0, untrusted: 0 }, 2)}\n`
    : printable(`${listText(workflows)}\n`);
}

/** The most definitions that the note below the list names. */
const maxNamed = 20;

export async function list(context: CommandContext, flags: SourceFlags): Promise<ExitCode> {
  const { answer, terminal } = context;
  const [{ hostOptionsOf, withDefinitions }, { definitionMessages }] = await Promise.all([
    import('../open-host.ts'),
    import('../messages/definitions.ts'),
  ]);
  const bundled = bundledList(await hostOptionsOf(context, flags));
  const { workflows, refused, untrusted } =
    bundled === undefined
      ? await withDefinitions(context, flags, readListing)
      : { workflows: bundled, refused: 0, untrusted: [] };
  const code = await answer({ workflows, refused, untrusted: untrusted.length }, () => listText(workflows));
  if (refused > 0) await terminal.warn(`${definitionMessages.refused(refused)}\n`);
  if (untrusted.length > 0) {
    const { heldText } = await import('./trust-review.ts');
    const names = untrusted.slice(0, maxNamed).map(heldText);
    await terminal.warn(`${definitionMessages.untrusted(untrusted.length, names)}\n`);
  }
  return code;
}

/**
 * Returns the bundled workflows if no other source has a definition, and otherwise `undefined`. `meta` only provides
 * shared parts, so the list leaves it out. `show meta` still finds it.
 */
function bundledList(options: HostOptions): readonly ListedWorkflow[] | undefined {
  return bundledAlone(options)
    ?.filter(({ id }) => id !== 'meta')
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

/** Formats a list for people. */
function listText(workflows: readonly ListedWorkflow[]): string {
  if (workflows.length === 0) return 'No workflows.';
  return columns([
    ['WORKFLOW', 'VERSION', 'SOURCE', 'NAME'],
    ...workflows.map(({ id, version, source = '', name }) => [id, version, source, name]),
  ]);
}
