import type { Host } from '@workflowlookup/host';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { SourceFlags } from '../commands/options.ts';
import { definitionMessages } from '../messages/definitions.ts';
import { hostOptionsOf, withDefinitions } from '../open-host.ts';

/** The most definitions that the note below the list names. */
const maxNamed = 20;

export async function list(context: CommandContext, flags: SourceFlags): Promise<ExitCode> {
  const { answer, terminal } = context;
  // Not a static import: the build would then put this file and `bundled-list.ts` into two files that `main.ts` loads.
  const { listBundled, listText } = await import('./bundled-list.ts');
  // If only bundled workflows are served, the engine is not loaded.
  const bundled = listBundled(await hostOptionsOf(context, flags));
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

/** Returns what is served, and what is not because of errors or because no person has trusted it. */
async function readListing({ engine, definitions }: Host) {
  const { workflows: summaries, problems = [], untrusted = [] } = await engine.list();
  const workflows = await Promise.all(
    summaries.map(async (summary) => ({ ...summary, ...(await definitions.origin(summary.id)) })),
  );
  const refused = problems.filter(({ severity }) => severity === 'error').length;
  return { workflows, refused, untrusted };
}
