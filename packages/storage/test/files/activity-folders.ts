import type { ActivityWorkflow, FolderReader } from '@workflowlookup/schema';
import { createFolderReader } from '@workflowlookup/schema';
import type { FilesStore, FilesStoreOptions } from '@workflowlookup/storage/files';
import { openStore } from '../support/files-store.ts';
import type { TempFolder } from '../support/temp-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Returns the text of a workflow file. `more` are lines of YAML. */
export function workflowFile(id: string, ...more: readonly string[]): string {
  return [`id: ${id}`, 'version: 1.0.0', `title: Title of ${id}`, ...more, ''].join('\n');
}

/** Returns the text of an activity file. `more` are lines of YAML. */
export function activityFile(id: string, ...more: readonly string[]): string {
  return [`id: ${id}`, 'version: 1.0.0', `name: Name of ${id}`, ...more, ''].join('\n');
}

function skillFile(id: string): string {
  return [`id: ${id}`, 'version: 1.0.0', 'capability: Does something', ''].join('\n');
}

/** Writes a workflow with the activities `press` and `label`, a skill and a resource into the source. */
export async function writeWorkflow(
  folder: TempFolder,
  id: string,
  ...more: readonly string[]
): Promise<void> {
  const write = (file: string, text: string): Promise<void> => folder.write(`workflows/${id}/${file}`, text);
  await write('activities/01-press.yaml', activityFile('press', 'transitions: [{to: label}]'));
  await write('activities/02-label.yaml', activityFile('label'));
  await write('skills/01-picker.yaml', skillFile('picker'));
  await write('resources/01-map.md', '# The map\n');
  await write('workflow.yaml', workflowFile(id, ...more));
}

/** Makes a reader of folders that records their names. */
export function watchedFolderReader(): { readonly readFolder: FolderReader; readonly names: string[] } {
  const read = createFolderReader();
  const names: string[] = [];
  return {
    names,
    readFolder(files, context) {
      names.push(context.id);
      return read(files, context);
    },
  };
}

/** Opens a store that serves activity workflows. */
export function openFolders(folder: TempFolder, more: Partial<FilesStoreOptions> = {}): FilesStore {
  return openStore(folder, { readFolder: createFolderReader(), ...more });
}

/** Returns an activity workflow that must be served. */
export async function activitiesOf(store: FilesStore, id: string): Promise<ActivityWorkflow> {
  const workflow = await store.get(id);
  if (workflow?.kind !== 'activities') throw new Error(`No activity workflow '${id}' is served`);
  return workflow;
}

/** Returns the names of a workflow's activities in order. */
export async function activityNames(store: FilesStore, id: string): Promise<readonly string[]> {
  const workflow = await store.get(id);
  return workflow?.kind === 'activities' ? workflow.activities.map(({ definition }) => definition.name) : [];
}

/** Makes a folder with the workflow `orchard`. */
export async function orchard(): Promise<TempFolder> {
  const folder = await tempFolder();
  await writeWorkflow(folder, 'orchard');
  return folder;
}
