import type { UntrustedDefinition } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import type { BundledWorkflow } from '@workflowlookup/host/bundled';
import { bundledAlone } from '@workflowlookup/host/bundled';
import type { WorkflowSummary } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { hostOptionsOf } from '../open-host.ts';
import { padColumns, plainLine } from '../terminal/plain-text.ts';
import { createOutput } from '../terminal/terminal.ts';

/** The most definitions that the note below the list names. */
const maxNamed = 20;

// This file imports no code that reads definitions, because `workflowlookup` without a command starts with it.
export async function list(line: CommandLine, flags: SourceFlags): Promise<ExitCode> {
  const { answer, terminal } = createOutput(line.terminal, flags.json ?? false);
  const { workflows, refused, untrusted } = await findListing(line, flags);
  const text = flags.json === true ? '' : await listingText(workflows);
  await answer({ workflows, refused, untrusted: untrusted.length }, () => text);
  if (refused > 0) {
    await terminal.warn(`${messages.definitions.refused(refused)}\n`);
  }
  if (untrusted.length > 0) {
    const { reasonText } = await import('./trust-review.ts');
    const names = untrusted
      .slice(0, maxNamed)
      .map((one) => `${one.id ?? '(no id)'} from ${one.source ?? 'the project'}: ${reasonText(one)}`);
    await terminal.warn(
      `${messages.definitions.untrusted(untrusted.length, names)}
`,
    );
  }
  return exitCodes.ok;
}

async function listingText(workflows: Listing['workflows']): Promise<string> {
  if (workflows.length === 0) return 'No workflows.';
  const rows = [
    ['WORKFLOW', 'VERSION', 'SOURCE', 'NAME'],
    ...workflows.map(({ id, version, source = '', name }) => [id, version, source, plainLine(name)]),
  ];
  if (rows.flat().every(isAscii)) return padColumns(rows, { widthOf: ({ length }) => length });
  // The code that knows the width of every character takes a while to load.
  const { columns } = await import('../terminal/plain-text.ts');
  return columns(rows);
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** The workflows that are served, with their sources. */
interface Listing {
  readonly workflows: readonly (WorkflowSummary & { readonly source?: string; readonly file?: string })[];
  /** The number of definitions with errors, which are not served. */
  readonly refused: number;
  /** The definitions of the project that are not served because no person has trusted them. */
  readonly untrusted: readonly UntrustedDefinition[];
}

/** Finds the workflows that are served. If only bundled workflows are, it does not load the engine. */
async function findListing(line: CommandLine, flags: SourceFlags): Promise<Listing> {
  const options = await hostOptionsOf(line, flags);
  const bundled = bundledAlone(options);
  if (bundled !== undefined)
    return { workflows: bundled.filter(isListed).map(entryOf), refused: 0, untrusted: [] };
  const { withDefinitions } = await import('../open-host.ts');
  return withDefinitions(line, flags, readListing);
}

/** `meta` only provides shared parts, so the list leaves it out. `show meta` still finds it. */
function isListed({ id }: BundledWorkflow): boolean {
  return id !== 'meta';
}

function entryOf({
  kind: _kind,
  digest: _digest,
  file,
  ...summary
}: BundledWorkflow): Listing['workflows'][number] {
  return { ...summary, source: 'bundled', file };
}

async function readListing({ engine, definitions }: Host): Promise<Listing> {
  const { workflows: summaries, problems = [], untrusted = [] } = await engine.list();
  const workflows = await Promise.all(
    summaries.map(async (summary) => ({ ...summary, ...(await definitions.origin(summary.id)) })),
  );
  const refused = problems.filter(({ severity }) => severity === 'error').length;
  return { workflows, refused, untrusted };
}
