import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import type { Environment } from '../command-line.ts';
import { shellWord } from '../render/shell-word.ts';

/** The line that parts what is written from what is shown beside it. */
const cut = '<!-- ------ Everything from this line on is left out. ------ -->';

/** The editor of the environment, as Git finds it: `VISUAL`, else `EDITOR`. */
export function editorOf({ VISUAL, EDITOR }: Environment): string | undefined {
  return [VISUAL, EDITOR].find((editor) => editor !== undefined && editor.trim() !== '');
}

/** Lets a person write a text in their editor, with another text below to look at. @throws WorkflowError INVALID_PARAMS */
export async function writeInEditor(
  editor: string,
  { draft, beside }: { readonly draft: string; readonly beside: string },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'workflowlookup-'));
  try {
    const file = join(folder, 'OUTPUT.md');
    await writeFile(file, `${draft}\n\n${cut}\n\n${beside}\n`, { mode: 0o600 });
    await runEditor(editor, file);
    const written = await readFile(file, 'utf8');
    return (written.split(cut)[0] ?? '').trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ctrl-C belongs to the editor while it runs. */
async function runEditor(editor: string, file: string): Promise<void> {
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      spawn(`${editor} ${shellWord(file)}`, { shell: true, stdio: 'inherit' })
        .once('error', reject)
        .once('close', resolve);
    });
    if (code === 0) return;
    throw new WorkflowError('INVALID_PARAMS', `The editor '${editor}' ended with ${code ?? 'a signal'}.`);
  } finally {
    process.off('SIGINT', ignore);
  }
}
