import { diff3Merge } from 'node-diff3';
import type { DefinitionText } from '../contract/index.ts';
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
    files: [],
  };
}

function yamlOf({
  id,
  name,
  description,
  version,
}: Record<'id' | 'name' | 'description' | 'version', string>): string {
  const lines = [
    // Quote the id, because YAML would read some file names as numbers.
    `id: ${JSON.stringify(id)}`,
    `name: ${name}`,
    `description: ${description}`,
    `version: ${version}`,
    'steps:',
    `  - id: ${step.id}`,
    `    title: ${step.title}`,
    `    prompt: ${step.prompt}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns whether a text still has places of a merge where both versions are kept. */
export function hasConflictMarks(text: string): boolean {
  return /^(<{7}|>{7}) /m.test(text);
}

type Versions = Readonly<Record<'mine' | 'theirs', string>>;

/**
 * Merges two texts that were both changed from a third one, line by line. A change that only one of them has is taken;
 * where both changed the same lines in different ways, both are kept between marks with their names. Returns the text, and
 * the number of such conflicts.
 */
export function mergeTexts(
  base: string,
  { mine, theirs }: Versions,
  names: Versions,
): { readonly text: string; readonly conflicts: number } {
  const regions = diff3Merge(mine.split('\n'), base.split('\n'), theirs.split('\n'));
  const lines = regions.flatMap(({ ok = [], conflict }) =>
    conflict === undefined
      ? ok
      : [`<<<<<<< ${names.mine}`, ...conflict.a, '=======', ...conflict.b, `>>>>>>> ${names.theirs}`],
  );
  const conflicts = regions.filter(({ conflict }) => conflict !== undefined).length;
  return { text: lines.join('\n'), conflicts };
}
