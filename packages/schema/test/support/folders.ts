import type { FolderContext, FolderReaderOptions, FolderReading } from '@workflowlookup/schema';
import { createFolderReader } from '@workflowlookup/schema';
import { expect } from 'vitest';

/** Files by path: text, or a value that is written as JSON, which is YAML too. */
export type Files = Readonly<Record<string, unknown>>;

/** Files as a folder. */
export const folderOf = (files: Files): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    ]),
  );

/** What a workflow file needs, and more. */
export const workflow = (more: object = {}): object => ({
  id: 'a-flow',
  version: '1.0.0',
  title: 'A flow',
  ...more,
});

/** What an activity file needs, and more. */
export const activity = (id: string, more: object = {}): object => ({
  id,
  version: '1.0.0',
  name: `Name of ${id}`,
  ...more,
});

/** What a skill file needs, and more. */
export const skill = (id: string, more: object = {}): object => ({
  id,
  version: '1.0.0',
  capability: `What ${id} can do`,
  ...more,
});

/** A checkpoint with what it needs, and more. */
export const checkpoint = (id: string, more: object = {}): object => ({
  id,
  name: `Name of ${id}`,
  message: 'Go on?',
  options: [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No' },
  ],
  ...more,
});

/** A folder with a workflow file and one activity, and more. */
export const flow = (more: Files = {}): Files => ({
  'workflow.yaml': workflow(),
  'activities/01-start.yaml': activity('start'),
  ...more,
});

/** Reads a folder; `others` are the folders it may borrow from. */
export const readFolder = (
  files: Files,
  { others, ...options }: FolderReaderOptions & { readonly others?: Readonly<Record<string, Files>> } = {},
): Promise<FolderReading> => {
  const folders = new Map(Object.entries(others ?? {}).map(([id, other]) => [id, folderOf(other)]));
  const context: FolderContext = { id: 'a-flow', ...(others && { borrow: (id: string) => folders.get(id) }) };
  return createFolderReader(options)(folderOf(files), context);
};

/** Returns issues as `file severity pointer message`. `error!` is an error despite which the part is served. */
export const issueLines = ({ issuesByFile }: FolderReading): readonly string[] =>
  [...issuesByFile].flatMap(([file, issues]) =>
    issues.map(
      ({ severity, served, pointer, message }) =>
        `${file} ${severity}${served === true ? '!' : ''} ${pointer} ${message}`,
    ),
  );

/** Where the issues are: `file line:column`. */
export const places = ({ issuesByFile }: FolderReading): readonly string[] =>
  [...issuesByFile].flatMap(([file, issues]) =>
    issues.map(({ line, column }) => `${file} ${line}:${column}`),
  );

const head = 'id: a-flow\nversion: 1.0.0\ntitle: A flow\n';

/** Reads a folder whose workflow file is TOON: what a workflow needs, then these lines from line 4 on. */
export const readToonLines = (lines: string): Promise<FolderReading> =>
  readFolder({ 'workflow.toon': head + lines, 'activities/01-start.yaml': activity('start') });

/** Issues of the workflow file as short lines: `severity line:column message`. */
export const toonIssues = async (lines: string): Promise<readonly string[]> => {
  const { issuesByFile } = await readToonLines(lines);
  return (issuesByFile.get('workflow.toon') ?? []).map(
    ({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`,
  );
};

/** What is said of a workflow file that is not served, its lines from line 4 on. */
export async function toonRefusals(lines: string): Promise<readonly string[]> {
  const { workflow: read, issuesByFile } = await readToonLines(lines);
  expect(read).toBeUndefined();
  return (issuesByFile.get('workflow.toon') ?? []).map(({ message }) => message);
}
