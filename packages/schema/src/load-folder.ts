import type {
  ActivityPart,
  ActivityWorkflowDefinition,
  ResourcePart,
  SkillPart,
} from './activity-workflow.ts';
import { findFile, layOut } from './folder.ts';
import type { Folder, FolderFile, FolderLayout } from './folder.ts';
import type { FolderFindings } from './folder-findings.ts';
import { loadActivity, loadResource, loadSkill } from './load-parts.ts';
import type { Loaded, LoadedByName } from './load-parts.ts';
import { writeOutHidden } from './hidden-characters.ts';
import type { Found } from './parsed-text.ts';
import { readPart } from './read-part.ts';
import type { ReadPart } from './read-part.ts';

/** The files of a folder after reading, before they are looked at together. */
export interface LoadedFolder {
  /** The workflow file. */
  readonly main: FolderFile;
  readonly workflow: ReadPart<ActivityWorkflowDefinition>;
  readonly activities: readonly Loaded<ActivityPart>[];
  readonly skills: readonly LoadedByName<SkillPart>[];
  readonly resources: readonly LoadedByName<ResourcePart>[];
  /** Files that are no part: without a number. */
  readonly strays: readonly Loaded<never>[];
}

/** Reads every file of a folder; `undefined` when it has no workflow file. */
export async function loadFolder(folder: Folder, found: FolderFindings): Promise<LoadedFolder | undefined> {
  const layout = layOut(folder.keys());
  const [main, ...others] = layout.workflow;
  if (main === undefined) return undefined;
  const format = main.format === 'md' ? 'yaml' : main.format;
  const loaded = {
    main,
    workflow: await readPart('activityWorkflow', { text: folder.get(main.file) ?? '', format }),
    activities: await Promise.all(layout.activities.map((at) => loadActivity(folder, at))),
    skills: await Promise.all(layout.skills.map((at) => loadSkill(folder, at))),
    resources: await Promise.all(layout.resources.map((at) => loadResource(folder, at))),
    strays: layout.unnumbered.map((at) => stray(at, folder)),
  };
  found.addFile(main.file, loaded.workflow);
  for (const { file, read } of partsOf(loaded)) found.addFile(file, read);
  found.add(namesOf(layout).map((finding) => ({ ...finding, file: main.file })));
  for (const { file } of others) found.addFile(file, superfluous(main.file, folder.get(file) ?? ''));
  return loaded;
}

/** Every file beside the workflow file. */
export function partsOf({
  activities,
  skills,
  resources,
  strays,
}: Omit<LoadedFolder, 'main' | 'workflow'>): readonly Loaded<unknown>[] {
  return [...activities, ...skills, ...resources, ...strays];
}

/**
 * What keeps a workflow from being served as a whole, since leaving the file out would not do: names that agents would
 * read as text, and two files that references can't tell apart, so that one stands in for the other.
 */
function namesOf({ activities, skills, resources, unnumbered }: FolderLayout): readonly Found[] {
  const named = [...activities, ...skills, ...resources, ...unnumbered].filter(
    ({ file }) => !/^\w+\/[\w.-]+$/.test(file),
  );
  const unclear = [activities, skills, resources].flatMap((files) =>
    files.flatMap((at) => {
      const first = findFile(files, at.file);
      return first === undefined || first === at ? [] : [{ file: at.file, first: first.file }];
    }),
  );
  return [
    ...named.map(({ file }) => ({
      ...badName,
      message: `The file name '${writeOutHidden(file)}' has other characters than A-Z, a-z, 0-9, '_', '.' and '-'`,
      suggestion: 'Rename the file',
    })),
    ...unclear.map(({ file, first }) => ({
      ...badName,
      message: `'${writeOutHidden(file)}' and '${writeOutHidden(first)}' differ only in the extension, which references leave out`,
      suggestion: 'Remove or rename one',
    })),
  ];
}

const badName = { severity: 'error', code: 'file-name', pointer: '' } as const;

function stray({ file, kind }: FolderLayout['unnumbered'][number], folder: Folder): Loaded<never> {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const path = file.slice(0, file.lastIndexOf('/') + 1);
  const message = `The file name '${name}' has no number`;
  const suggestion = `Name it '${path}NN-${name}'`;
  const read = unread(folder.get(file) ?? '', {
    severity: 'error',
    code: 'file-name',
    pointer: '',
    message,
    suggestion,
  });
  return { kind, file, id: name.replace(/\.[a-z]+$/, ''), read };
}

function superfluous(main: string, text: string): Loaded<never>['read'] {
  const message = `A second workflow file: '${main}' is the one that is used`;
  return unread(text, {
    severity: 'error',
    code: 'file-name',
    served: true,
    pointer: '',
    message,
    suggestion: 'Remove one',
  });
}

function unread(text: string, finding: Loaded<never>['read']['findings'][number]): Loaded<never>['read'] {
  return { text, findings: [finding], locator: () => Promise.resolve(() => ({ start: 0 })) };
}
