import type { FolderContext, FolderReaderOptions, FolderReading } from '@workflowlookup/schema';
import { createFolderReader } from '@workflowlookup/schema';
import { expect } from 'vitest';

/** Files by path. A value that is not text is written as JSON, which is also valid YAML. */
export type Files = Readonly<Record<string, unknown>>;

/** Returns files in the form in which a reader gets them. */
export const folderOf = (files: Files): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    ]),
  );

/** Returns the content of a workflow file with all required fields. `more` adds or replaces fields. */
export const workflow = (more: object = {}): object => ({
  id: 'a-flow',
  version: '1.0.0',
  title: 'A flow',
  ...more,
});

/** Returns the content of an activity file with all required fields. `more` adds or replaces fields. */
export const activity = (id: string, more: object = {}): object => ({
  id,
  version: '1.0.0',
  name: `Name of ${id}`,
  ...more,
});

/** Returns the content of a skill file with all required fields. `more` adds or replaces fields. */
export const skill = (id: string, more: object = {}): object => ({
  id,
  version: '1.0.0',
  capability: `What ${id} can do`,
  ...more,
});

/** Returns a checkpoint with all required fields. `more` adds or replaces fields. */
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

/** Returns a folder with a workflow file and one activity. `more` adds or replaces files. */
export const flow = (more: Files = {}): Files => ({
  'workflow.yaml': workflow(),
  'activities/01-start.yaml': activity('start'),
  ...more,
});

/** Reads a folder. `others` are the folders from which it may borrow. */
export const readFolder = (
  files: Files,
  { others, ...options }: FolderReaderOptions & { readonly others?: Readonly<Record<string, Files>> } = {},
): Promise<FolderReading> => {
  const folders = new Map(Object.entries(others ?? {}).map(([id, other]) => [id, folderOf(other)]));
  const context: FolderContext = { id: 'a-flow', ...(others && { borrow: (id: string) => folders.get(id) }) };
  return createFolderReader(options)(folderOf(files), context);
};

/** Returns issues in the form `file severity pointer message`. The severity `error!` is an error that does not prevent serving the part. */
export const issueLines = ({ issuesByFile }: FolderReading): readonly string[] =>
  [...issuesByFile].flatMap(([file, issues]) =>
    issues.map(
      ({ severity, served, pointer, message }) =>
        `${file} ${severity}${served === true ? '!' : ''} ${pointer} ${message}`,
    ),
  );

/** Returns the positions of issues in the form `file line:column`. */
export const places = ({ issuesByFile }: FolderReading): readonly string[] =>
  [...issuesByFile].flatMap(([file, issues]) =>
    issues.map(({ line, column }) => `${file} ${line}:${column}`),
  );

const head = 'id: a-flow\nversion: 1.0.0\ntitle: A flow\n';

/** Reads a folder with a TOON workflow file. Its first three lines are the required fields, and these lines follow. */
export const readToonLines = (lines: string): Promise<FolderReading> =>
  readFolder({ 'workflow.toon': head + lines, 'activities/01-start.yaml': activity('start') });

/** Returns the issues of a TOON workflow file in the form `severity line:column message`. */
export const toonIssues = async (lines: string): Promise<readonly string[]> => {
  const { issuesByFile } = await readToonLines(lines);
  return (issuesByFile.get('workflow.toon') ?? []).map(
    ({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`,
  );
};

/** Returns the messages for a TOON workflow file, and expects that it is not served. */
export async function toonRefusals(lines: string): Promise<readonly string[]> {
  const { workflow: read, issuesByFile } = await readToonLines(lines);
  expect(read).toBeUndefined();
  return (issuesByFile.get('workflow.toon') ?? []).map(({ message }) => message);
}
