import type { Host } from '@workflowlookup/host';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { plainLine } from '../plain-text.ts';
import { columns } from '../render/columns.ts';

/** Lists every workflow that is served. */
export async function list({ engine, definitions }: Host, { answer, terminal }: Output): Promise<ExitCode> {
  const { workflows: summaries, problems = [] } = await engine.list();
  const workflows = await Promise.all(
    summaries.map(async (summary) => ({ ...summary, ...(await definitions.origin(summary.id)) })),
  );
  const refused = problems.filter(({ severity }) => severity === 'error').length;
  await answer({ workflows, refused }, () =>
    workflows.length === 0
      ? 'No workflows.'
      : columns([
          ['WORKFLOW', 'VERSION', 'SOURCE', 'NAME'],
          ...workflows.map(({ id, version, source = '', name }) => [id, version, source, plainLine(name)]),
        ]),
  );
  if (refused > 0) {
    await terminal.warn(
      `${refused === 1 ? 'One definition is' : `${refused} definitions are`} not served: 'workflowlookup lint' says why.\n`,
    );
  }
  return exitCodes.ok;
}
