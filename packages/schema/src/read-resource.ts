import type { PartFormat } from './activity-workflow.ts';
import { checkShape } from './check-shape.ts';
import { inspectText, inspectValues } from './inspect-values.ts';
import { isJsonObject } from './json.ts';
import type { Json } from './json.ts';
import { isTooLarge, parseText, withoutMark } from './parse-text.ts';
import { refused, tooLarge } from './parsed-text.ts';
import type { Found, ParsedText } from './parsed-text.ts';
import type { ReadPart } from './read-part.ts';

/** What a resource says, and what it says of itself. */
export interface ResourceValue {
  readonly id?: string;
  readonly version?: string;
  readonly body: string;
  readonly value?: Json;
}

/** Reads a resource: Markdown with optional front matter, or a file in JSON, YAML or TOON. */
export async function readResource(source: {
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
  // Agents are given the text as it is, so that it can't be served with characters nobody sees.
  const { value: _value, ...rest } = read;
  return { ...rest, findings: [...read.findings.map(unserved), ...hidden] };
}

async function readSections(text: string): Promise<ReadPart<ResourceValue>> {
  if (isTooLarge(text)) return judge(refused(tooLarge('The text has')), text, () => ({ body: text }));
  const end = endOfFrontMatter(text);
  if (end !== undefined) {
    const parsed = await parseText({ text: text.slice(0, end), format: 'yaml' });
    // A rule at the top of a text, and another one further down, hold prose between them.
    if (parsed.findings.length > 0 || isJsonObject(parsed.value)) {
      const body = text.slice(end).replace(/^-+[ \t]*(?:\r?\n)*/, '');
      const read = await judge(parsed, text, () => ({ body }));
      // The text is what a resource is for: it is served whatever its front matter says.
      return { value: { body }, ...read, findings: read.findings.map(served) };
    }
  }
  return { value: { body: text }, findings: [], locator: () => Promise.resolve(() => ({ start: 0 })), text };
}

function isHidden({ code }: Found): boolean {
  return code === 'hidden-character';
}

function unserved({ served: _served, ...found }: Found): Found {
  return isHidden(found) || _served === undefined ? found : { ...found, served: _served };
}

function served(found: Found): Found {
  return found.severity === 'error' ? { ...found, served: true } : found;
}

/** Where the line is that closes the front matter. Its first line, `---`, is YAML too: places in both texts are the same. */
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
  const inspected = inspectValues(value);
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

/** Only an object says something of itself; a list or a text is all content. */
async function shapeOf(value: Json): Promise<ReturnType<typeof checkShape>> {
  if (!isJsonObject(value)) return [];
  const { activityValidators } = await import('./generated/validate-activity-workflow.js');
  return checkShape(value, activityValidators.resource);
}
