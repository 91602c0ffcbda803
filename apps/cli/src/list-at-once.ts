import { list } from './definitions/list.ts';
import type { Asked } from './end-well.ts';
import { endWell } from './end-well.ts';

/** Does what `list` does, without the parser of the command line. */
export function listAtOnce({ version, ...asked }: Asked & { readonly version: string }): Promise<void> {
  return endWell(asked, (terminal) =>
    list(
      { terminal, env: asked.env, version, exit: () => undefined },
      { json: asked.args.includes('--json') },
    ),
  );
}
