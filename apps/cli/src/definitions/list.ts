import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { plainLine } from '../plain-text.ts';
import { padColumns } from '../render/pad-columns.ts';
import type { SourceFlags } from './add-definition-command.ts';
import type { Listing } from './find-listing.ts';
import { findListing } from './find-listing.ts';

/** How many definitions that are not served the list names. */
const maxNamed = 20;

/** Lists every workflow that is served. */
export async function list(line: CommandLine, flags: SourceFlags): Promise<ExitCode> {
  const { answer, terminal } = createOutput(line.terminal, flags.json ?? false);
  const { workflows, refused, untrusted } = await findListing(line, flags);
  const text = flags.json === true ? '' : await listingText(workflows);
  await answer({ workflows, refused, untrusted: untrusted.length }, () => text);
  if (refused > 0) {
    await terminal.warn(
      `${refused === 1 ? 'One definition is' : `${refused} definitions are`} not served: 'workflowlookup lint' says why.\n`,
    );
  }
  if (untrusted.length > 0) {
    const { reasonText } = await import('../trust/reason-text.ts');
    const lines = untrusted
      .slice(0, maxNamed)
      .map((one) => `  ${one.id ?? '(no id)'} from ${one.source ?? 'the project'}: ${reasonText(one)}\n`);
    const more = untrusted.length - lines.length;
    await terminal.warn(
      `Agents are not served ${untrusted.length === 1 ? 'one definition' : `${untrusted.length} definitions`} of this project. Look at ${untrusted.length === 1 ? 'it' : 'them'}: workflowlookup trust\n${lines.join('')}${more > 0 ? `  and ${more} more\n` : ''}`,
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
  // What knows the width of every character takes a while to load.
  const { columns } = await import('../render/columns.ts');
  return columns(rows);
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
