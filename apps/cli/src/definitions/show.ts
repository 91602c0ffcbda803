import { outlineOf } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { outlineText } from './outline-text.ts';

/** Shows a workflow as an outline. */
export async function show(
  { engine, definitions }: Host,
  { answer, terminal }: Output,
  id: string,
): Promise<ExitCode> {
  const outline = outlineOf(await engine.get(id));
  const shown = { ...outline, ...(await definitions.origin(id)) };
  await answer(shown, () => outlineText(shown, terminal));
  return exitCodes.ok;
}
