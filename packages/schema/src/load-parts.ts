import type { ActivityPart, ResourcePart, SkillPart } from './activity-workflow.ts';
import type { Folder, FolderFile, FolderLayout, PartKind } from './folder.ts';
import type { Shelf } from './library.ts';
import type { Found } from './parsed-text.ts';
import { readPart } from './read-part.ts';
import type { ReadPart } from './read-part.ts';
import { readResource } from './read-resource.ts';

/** A file of a folder after reading: a part, or what kept it from being one. */
export interface Loaded<Part> {
  readonly kind: PartKind;
  readonly file: string;
  /** The id its text or, failing that, its name gives it. */
  readonly id: string;
  readonly part?: Part;
  readonly read: Pick<ReadPart<unknown>, 'findings' | 'locator' | 'text'>;
}

/** A skill or a resource after reading, with the number and the name of its file: a broken one goes by them. */
export interface LoadedByName<Part> extends Loaded<Part>, Pick<FolderFile, 'index' | 'name'> {}

/** Reads one activity file of a folder. */
export async function loadActivity(folder: Folder, at: FolderFile): Promise<Loaded<ActivityPart>> {
  const read = await readPart('activity', sourceOf(folder, at));
  const { id = at.name, value: definition } = read;
  const base = { id, index: at.index, file: at.file, format: at.format, text: read.text };
  const part = definition && { ...base, definition, pointer: '' };
  return { kind: 'activity', file: at.file, id, read: named(read, at), ...(part && { part }) };
}

/** Reads one skill file of a folder. */
export async function loadSkill(folder: Folder, at: FolderFile): Promise<LoadedByName<SkillPart>> {
  const read = await readPart('skill', sourceOf(folder, at));
  const { id = at.name, value: definition } = read;
  const base = { id, index: at.index, file: at.file, format: at.format, text: read.text };
  const part = definition && { ...base, definition };
  return { ...at, kind: 'skill', id, read: named(read, at), ...(part && { part }) };
}

/** Reads one resource file of a folder. */
export async function loadResource(folder: Folder, at: FolderFile): Promise<LoadedByName<ResourcePart>> {
  const read = await readResource({ text: folder.get(at.file) ?? '', format: at.format });
  const { id = at.name, value } = read;
  const part = value && {
    index: at.index,
    file: at.file,
    format: at.format,
    text: read.text,
    name: at.name,
    ...value,
    id,
  };
  return { ...at, kind: 'resource', id, read, ...(part && { part }) };
}

/** The skills and resources of a folder, without what is wrong with them. */
export async function loadShelf(folder: Folder, { skills, resources }: FolderLayout): Promise<Shelf> {
  const loadedSkills = await Promise.all(skills.map((at) => loadSkill(folder, at)));
  const loadedResources = await Promise.all(resources.map((at) => loadResource(folder, at)));
  return shelfOf(loadedSkills, loadedResources);
}

/** Read skills and resources as references see them. */
export function shelfOf(
  skills: readonly LoadedByName<SkillPart>[],
  resources: readonly LoadedByName<ResourcePart>[],
): Shelf {
  const broken = [...skills, ...resources].filter(({ part }) => part === undefined);
  return {
    skills: skills.flatMap(({ part }) => part ?? []),
    resources: resources.flatMap(({ part }) => part ?? []),
    broken,
  };
}

function sourceOf(
  folder: Folder,
  { file, format }: FolderFile,
): { readonly text: string; readonly format: 'json' | 'toon' | 'yaml' } {
  return { text: folder.get(file) ?? '', format: format === 'md' ? 'yaml' : format };
}

/** A file whose name says another id than its text is found by one and not by the other: a warning. */
function named<Value>(read: ReadPart<Value>, { name }: FolderFile): ReadPart<Value> {
  if (read.value === undefined || read.id === undefined || read.id === name) return read;
  const found: Found = {
    severity: 'warning',
    code: 'file-name',
    pointer: '/id',
    message: `The id is '${read.id}', and the file is named '${name}'`,
    suggestion: 'Name the file after the id',
  };
  return { ...read, findings: [...read.findings, found] };
}
