import type { Draft } from './draft.ts';

const step = { id: 'first-step', title: 'First step', prompt: 'What to do.' };

/** The draft of a new file, a step workflow to go on from: in JSON where its name says so, else in YAML. */
export function newDraft(source: string, file: string): Draft {
  const about = {
    id: file.replace(/\.\w+$/, ''),
    name: 'New workflow',
    description: 'What it is for, and when to choose it.',
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
  // A file may be called what YAML reads as a number.
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
