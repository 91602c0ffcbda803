import { fileMessages } from '../messages/files.ts';
import type { Json } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { checkShape } from './check-shape.ts';
import { inspectText, freezeAndInspect } from '../text/hidden-characters.ts';
import { isTooLarge, parseText, withoutMark } from '../text/parse-text.ts';
import type { TextFinding, ParsedText } from '../text/parsed-text.ts';
import { locatorAt } from '../text/parsed-text.ts';
import type {
  ActivityPart,
  ActivityWorkflowDefinition,
  ResourcePart,
  Skill,
  SkillPart,
  Activity,
} from '../workflow/activity-workflow.ts';
import type { SharedParts } from '../workflow/references.ts';
import type { Folder, FolderFile, FolderLayout, PartKind } from './folder.ts';

/** A file of a folder after reading: a part, or the reason why it isn't one. */
export interface Loaded<Part> extends FolderFile {
  readonly kind: PartKind;
  /** The id in the text, or else the one in the file name. */
  readonly id: string;
  readonly part?: Part;
  readonly read: Pick<ReadPart<unknown>, 'findings' | 'locator' | 'text'>;
}

export async function loadActivity(folder: Folder, at: FolderFile): Promise<Loaded<ActivityPart>> {
  const { part, ...loaded } = await loadPart('activity', folder, at);
  return { ...loaded, ...(part && { part: { ...part, pointer: '' } }) };
}

export function loadSkill(folder: Folder, at: FolderFile): Promise<Loaded<SkillPart>> {
  return loadPart('skill', folder, at);
}

async function loadPart<Kind extends 'activity' | 'skill'>(
  kind: Kind,
  folder: Folder,
  at: FolderFile,
): Promise<Loaded<Omit<SkillPart, 'definition'> & { readonly definition: PartValues[Kind] }>> {
  const { index, file, format } = at;
  const read = await readPart(kind, folder, at);
  const { id = at.name, value: definition, text } = read;
  const part = definition && { id, index, file, format, text, definition };
  return { ...at, kind, id, read: checkFileName(read, at), ...(part && { part }) };
}

export async function loadResource(folder: Folder, at: FolderFile): Promise<Loaded<ResourcePart>> {
  const read = await readResource(folder, at);
  const { id = at.name, value, text } = read;
  const part = value && { ...at, text, ...value, id };
  return { ...at, kind: 'resource', id, read, ...(part && { part }) };
}

/** Reads the skills and resources of a folder and drops their findings. */
export async function loadSharedParts(
  folder: Folder,
  { skills, resources }: FolderLayout,
): Promise<SharedParts> {
  const loadedSkills = await Promise.all(skills.map((at) => loadSkill(folder, at)));
  const loadedResources = await Promise.all(resources.map((at) => loadResource(folder, at)));
  return toSharedParts(loadedSkills, loadedResources);
}

/** Arranges skills and resources for reference lookups. */
export function toSharedParts(
  skills: readonly Loaded<SkillPart>[],
  resources: readonly Loaded<ResourcePart>[],
): SharedParts {
  const broken = [...skills, ...resources].filter(({ part }) => part === undefined);
  return {
    skills: skills.flatMap(({ part }) => part ?? []),
    resources: resources.flatMap(({ part }) => part ?? []),
    broken,
  };
}

/**
 * Warns if the file name differs from the id in the text, because different references find the file by one or the
 * other.
 */
function checkFileName<Value>(read: ReadPart<Value>, { name }: FolderFile): ReadPart<Value> {
  if (read.value === undefined || read.id === undefined || read.id === name) return read;
  const found: TextFinding = { ...fileMessages.fileNamedOtherwise(read.id, name), pointer: '/id' };
  return { ...read, findings: [...read.findings, found] };
}

/** The value in each kind of file once its shape is valid. */
interface PartValues {
  readonly activity: Activity;
  readonly activityWorkflow: ActivityWorkflowDefinition;
  readonly skill: Skill;
  readonly resource: Json;
}

export interface ReadPart<Value> extends Pick<ParsedText, 'findings' | 'locator' | 'text'> {
  /** Absent if the file can't be used. */
  readonly value?: Value;
  /** The id in the text, even if the file can't be used. */
  readonly id?: string;
}

/** Reads a file of this kind: syntax and limits, then the shape. The value is frozen. */
export async function readPart<Kind extends keyof PartValues>(
  kind: Kind,
  folder: Folder,
  { file, format }: FolderFile,
): Promise<ReadPart<PartValues[Kind]>> {
  const parsed = await parseText({ text: folder.get(file) ?? '', format: format === 'md' ? 'yaml' : format });
  // Older TOON files have additional keys, which are kept.
  return checkPart(kind, parsed, format === 'toon' ? 'warning' : 'error');
}

async function checkPart<Kind extends keyof PartValues>(
  kind: Kind,
  { value, text, findings, warnings = [], locator }: ParsedText,
  unknown: 'error' | 'warning' = 'error',
): Promise<ReadPart<PartValues[Kind]>> {
  const id = isJsonObject(value) && typeof value['id'] === 'string' ? { id: value['id'] } : {};
  if (findings.length > 0) return { ...id, findings: [...findings, ...warnings], locator, text };
  const { activityValidators } = await import('../generated/validate-activity-workflow.js');
  const inspected = freezeAndInspect(value);
  // A resource that is a list or a text is pure content, without metadata.
  const hasShape = kind !== 'resource' || isJsonObject(value);
  const found = [
    ...warnings,
    ...(hasShape ? checkShape(value, activityValidators[kind], unknown) : []),
    ...inspected,
    ...inspectText(text, inspected),
  ];
  const isRight = found.every(({ severity }) => severity !== 'error');
  return { ...id, ...(isRight && { value: value as PartValues[Kind] }), findings: found, locator, text };
}

/** The content of a resource and its metadata. */
type ResourceValue = Pick<ResourcePart, 'version' | 'body' | 'value'>;

/** Reads a resource: Markdown with optional front matter, or a file in JSON, YAML or TOON. */
async function readResource(folder: Folder, at: FolderFile): Promise<ReadPart<ResourceValue>> {
  if (at.format === 'md') return readMarkdown(folder.get(at.file) ?? '');
  const { value, ...read } = await readPart('resource', folder, at);
  return value === undefined ? read : { ...read, value: { ...versionIn(value), body: read.text, value } };
}

function versionIn(value: Json): { readonly version?: string } {
  const { version } = isJsonObject(value) ? value : {};
  return typeof version === 'string' ? { version } : {};
}

async function readMarkdown(source: string): Promise<ReadPart<ResourceValue>> {
  const read = await readSections(source);
  const hidden = inspectText(read.text, read.findings, false);
  if (hidden.length === 0 && !read.findings.some(isHidden)) return read;
  // Agents receive the text unchanged, so it must not contain hidden characters.
  const { value: _value, ...rest } = read;
  return { ...rest, findings: [...read.findings.map(unserved), ...hidden] };
}

async function readSections(source: string): Promise<ReadPart<ResourceValue>> {
  const text = withoutMark(source);
  if (isTooLarge(text)) {
    const { findings, locator } = await parseText({ text, format: 'yaml' });
    return { findings, locator, text };
  }
  const end = endOfFrontMatter(text);
  if (end !== undefined) {
    const parsed = await parseText({ text: text.slice(0, end), format: 'yaml' });
    // A horizontal rule at the top of a text and another one further down enclose prose, not front matter.
    if (parsed.findings.length > 0 || isJsonObject(parsed.value)) {
      const body = text.slice(end).replace(/^-+[ \t]*(?:\r?\n)*/, '');
      const { id, value, ...read } = await checkPart('resource', { ...parsed, text });
      // The text is the point of a resource, so it is served even if its front matter has errors.
      const findings = read.findings.map(served);
      if (value === undefined) return { ...read, value: { body }, findings };
      return { ...read, ...(id !== undefined && { id }), value: { ...versionIn(value), body }, findings };
    }
  }
  return { value: { body: text }, findings: [], locator: locatorAt(0), text };
}

function isHidden({ code }: TextFinding): boolean {
  return code === 'hidden-character';
}

function unserved({ served: _served, ...found }: TextFinding): TextFinding {
  return isHidden(found) || _served === undefined ? found : { ...found, served: _served };
}

function served(found: TextFinding): TextFinding {
  return found.severity === 'error' ? { ...found, served: true } : found;
}

/**
 * Returns the offset of the line that closes the front matter. The opening `---` is valid YAML too, so positions are
 * the same in both texts.
 */
function endOfFrontMatter(text: string): number | undefined {
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (opening === undefined) return undefined;
  const closing = /^---[ \t]*$/m.exec(text.slice(opening).replaceAll('\r', ' '));
  return closing === null ? undefined : opening + closing.index;
}
