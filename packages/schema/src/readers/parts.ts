import { fileNamedOtherwise } from '../messages/files.ts';
import type { Json } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { checkShape } from './check-shape.ts';
import { inspectText, freezeAndInspect } from '../text/hidden-characters.ts';
import { isTooLarge, parseText, withoutMark } from '../text/parse-text.ts';
import type { TextFinding, ParsedText } from '../text/parsed-text.ts';
import { refused, tooLarge } from '../text/parsed-text.ts';
import type {
  ActivityPart,
  ActivityWorkflowDefinition,
  PartFormat,
  ResourcePart,
  Skill,
  SkillPart,
  Activity,
} from '../workflow/activity-workflow.ts';
import type { SharedParts } from '../workflow/references.ts';
import type { Folder, FolderFile, FolderLayout, PartKind } from './folder.ts';

/** A file of a folder after reading: a part, or the reason why it isn't one. */
export interface Loaded<Part> {
  readonly kind: PartKind;
  readonly file: string;
  /** The id in the text, or else the one in the file name. */
  readonly id: string;
  readonly part?: Part;
  readonly read: Pick<ReadPart<unknown>, 'findings' | 'locator' | 'text'>;
}

/** A skill or a resource after reading, with the number and name of its file, which identify a broken one. */
export interface LoadedByName<Part> extends Loaded<Part>, Pick<FolderFile, 'index' | 'name'> {}

export async function loadActivity(folder: Folder, at: FolderFile): Promise<Loaded<ActivityPart>> {
  const read = await readPart('activity', sourceOf(folder, at));
  const { id = at.name, value: definition } = read;
  const base = { id, index: at.index, file: at.file, format: at.format, text: read.text };
  const part = definition && { ...base, definition, pointer: '' };
  return { kind: 'activity', file: at.file, id, read: checkFileName(read, at), ...(part && { part }) };
}

export async function loadSkill(folder: Folder, at: FolderFile): Promise<LoadedByName<SkillPart>> {
  const read = await readPart('skill', sourceOf(folder, at));
  const { id = at.name, value: definition } = read;
  const base = { id, index: at.index, file: at.file, format: at.format, text: read.text };
  const part = definition && { ...base, definition };
  return { ...at, kind: 'skill', id, read: checkFileName(read, at), ...(part && { part }) };
}

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
  skills: readonly LoadedByName<SkillPart>[],
  resources: readonly LoadedByName<ResourcePart>[],
): SharedParts {
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

/**
 * Warns if the file name differs from the id in the text, because different references find the file by one or the
 * other.
 */
function checkFileName<Value>(read: ReadPart<Value>, { name }: FolderFile): ReadPart<Value> {
  if (read.value === undefined || read.id === undefined || read.id === name) return read;
  const found: TextFinding = {
    severity: 'warning',
    code: 'file-name',
    pointer: '/id',
    ...fileNamedOtherwise(read.id, name),
  };
  return { ...read, findings: [...read.findings, found] };
}

/** The value in each kind of file once its shape is valid. */
interface PartValues {
  readonly activity: Activity;
  readonly activityWorkflow: ActivityWorkflowDefinition;
  readonly skill: Skill;
}

export interface ReadPart<Value> {
  /** Absent if the file can't be used. */
  readonly value?: Value;
  /** The id in the text, even if the file can't be used. */
  readonly id?: string;
  readonly findings: readonly TextFinding[];
  readonly locator: ParsedText['locator'];
  /** Without the byte order mark. */
  readonly text: string;
}

/** Reads a file of this kind: syntax and limits, then the shape. The value is frozen. */
export async function readPart<Kind extends keyof PartValues>(
  kind: Kind,
  source: { readonly text: string; readonly format: Exclude<PartFormat, 'md'> },
): Promise<ReadPart<PartValues[Kind]>> {
  const text = withoutMark(source.text);
  const { value, findings, warnings = [], locator } = await parseText({ ...source, text });
  const id = isJsonObject(value) && typeof value['id'] === 'string' ? { id: value['id'] } : {};
  if (findings.length > 0) return { ...id, findings: [...findings, ...warnings], locator, text };
  const { activityValidators } = await import('../generated/validate-activity-workflow.js');
  // Older TOON files have additional keys, which are kept.
  const unknown = source.format === 'toon' ? 'warning' : 'error';
  const inspected = freezeAndInspect(value);
  const found = [
    ...warnings,
    ...checkShape(value, activityValidators[kind], unknown),
    ...inspected,
    ...inspectText(text, { inValues: inspected, layout: true }),
  ];
  const isRight = found.every(({ severity }) => severity !== 'error');
  return { ...id, ...(isRight && { value: value as PartValues[Kind] }), findings: found, locator, text };
}

/** The content of a resource and its metadata. */
interface ResourceValue {
  readonly id?: string;
  readonly version?: string;
  readonly body: string;
  readonly value?: Json;
}

/** Reads a resource: Markdown with optional front matter, or a file in JSON, YAML or TOON. */
async function readResource(source: {
  readonly text: string;
  readonly format: PartFormat;
}): Promise<ReadPart<ResourceValue>> {
  const text = withoutMark(source.text);
  if (source.format === 'md') return readMarkdown(text);
  const parsed = await parseText({ text, format: source.format });
  return judge(parsed, text, (value) => ({ body: text, value }));
}

async function readMarkdown(text: string): Promise<ReadPart<ResourceValue>> {
  const read = await readSections(text);
  const hidden = inspectText(text, { inValues: read.findings });
  if (hidden.length === 0 && !read.findings.some(isHidden)) return read;
  // Agents receive the text unchanged, so it must not contain hidden characters.
  const { value: _value, ...rest } = read;
  return { ...rest, findings: [...read.findings.map(unserved), ...hidden] };
}

async function readSections(text: string): Promise<ReadPart<ResourceValue>> {
  if (isTooLarge(text)) return judge(refused(tooLarge('The text has')), text, () => ({ body: text }));
  const end = endOfFrontMatter(text);
  if (end !== undefined) {
    const parsed = await parseText({ text: text.slice(0, end), format: 'yaml' });
    // A horizontal rule at the top of a text and another one further down enclose prose, not front matter.
    if (parsed.findings.length > 0 || isJsonObject(parsed.value)) {
      const body = text.slice(end).replace(/^-+[ \t]*(?:\r?\n)*/, '');
      const read = await judge(parsed, text, () => ({ body }));
      // The text is the point of a resource, so it is served even if its front matter has errors.
      return { value: { body }, ...read, findings: read.findings.map(served) };
    }
  }
  return { value: { body: text }, findings: [], locator: () => Promise.resolve(() => ({ start: 0 })), text };
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

async function judge(
  parsed: ParsedText,
  text: string,
  content: (value: Json) => ResourceValue,
): Promise<ReadPart<ResourceValue>> {
  const { findings, warnings = [], locator } = parsed;
  if (findings.length > 0) return { findings, locator, text };
  const value = parsed.value as Json;
  const inspected = freezeAndInspect(value);
  const found = [
    ...warnings,
    ...inspected,
    ...inspectText(text, { inValues: inspected, layout: true }),
    ...(await shapeOf(value)),
  ];
  if (found.some(({ severity }) => severity === 'error')) return { findings: found, locator, text };
  const { id, version } = isJsonObject(value) ? value : {};
  const itself = {
    ...(typeof id === 'string' && { id }),
    ...(typeof version === 'string' && { version }),
  };
  return { ...itself, value: { ...itself, ...content(value) }, findings: found, locator, text };
}

/** Only an object has metadata. A list or a text is pure content. */
async function shapeOf(value: Json): Promise<ReturnType<typeof checkShape>> {
  if (!isJsonObject(value)) return [];
  const { activityValidators } = await import('../generated/validate-activity-workflow.js');
  return checkShape(value, activityValidators.resource);
}
