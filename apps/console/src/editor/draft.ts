import type { DefinitionText } from '../contract.ts';
import { editorMessages } from '../messages/workflows.ts';

/** A file in the editor. A new file has an empty text and no digest. */
export interface Draft extends Omit<DefinitionText, 'digest'> {
  readonly digest: string | null;
}

const { draft: messages } = editorMessages;

const step = { id: 'first-step', title: messages.stepTitle, prompt: messages.stepPrompt };

/** Returns a draft with a minimal step workflow. Its notation depends on the file name: JSON for `.json`, otherwise YAML. */
export function newDraft(source: string, file: string): Draft {
  const about = {
    id: file.replace(/\.\w+$/, ''),
    name: messages.name,
    description: messages.description,
    version: '0.1.0',
  };
  const isJson = file.endsWith('.json');
  return {
    source,
    file,
    notation: isJson ? 'json' : 'yaml',
    text: isJson ? `${JSON.stringify({ ...about, steps: [step] }, null, 2)}\n` : yamlOf(about),
    digest: null,
    isWritable: true,
  };
}

function yamlOf({ id, ...about }: { readonly id: string; readonly [field: string]: string }): string {
  const [first = '', ...others] = linesOf(step);
  // Quote the id, because YAML would read some file names as numbers.
  const lines = [
    `id: ${JSON.stringify(id)}`,
    ...linesOf(about),
    'steps:',
    `  - ${first}`,
    ...others.map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function linesOf(fields: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
}
