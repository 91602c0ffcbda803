import type { Asked } from './end-well.ts';
import { endWell } from './end-well.ts';
import { createProgram } from './program.ts';

/** Does what the command line asks for; sets the exit code of the process. */
export function run({ version, ...asked }: Asked & { readonly version: string }): Promise<void> {
  return endWell(asked, (terminal) =>
    createProgram({
      terminal,
      env: asked.env,
      version,
      exit: (code) => (process.exitCode = code),
    }).parseAsync(asked.args, { from: 'user' }),
  );
}
