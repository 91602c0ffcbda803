import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';

/** Keys and indexes that lead to a value in a document. */
export type Path = readonly (string | number)[];

/** One change of a document, with its reason. */
export interface Change {
  readonly path: Path;
  readonly edit: Edit;
  /** What changes, in words. Absent if another change describes it. */
  readonly what?: string;
}

/** A change of the property at a path: it is removed, set or renamed. */
export type Edit =
  | { readonly kind: 'remove' }
  | { readonly kind: 'set'; readonly value: Json }
  | { readonly kind: 'rename'; readonly to: string };

/** A step in an older form, and its path in the document. */
interface OlderStep {
  readonly step: JsonObject;
  readonly path: Path;
  /** The loops around the step, innermost last. */
  readonly loops: readonly JsonObject[];
}

/** Yields every step that is an object, depth first, with a loop before its body. */
function* olderSteps(
  steps: Json | undefined,
  path: Path = ['steps'],
  loops: readonly JsonObject[] = [],
): Generator<OlderStep> {
  if (!Array.isArray(steps)) return;
  for (const [at, step] of (steps as readonly Json[]).entries()) {
    if (!isJsonObject(step)) continue;
    yield { step, path: [...path, at], loops };
    if (isLoop(step)) yield* olderSteps(step['body'], [...path, at, 'body'], [...loops, step]);
  }
}

function isLoop(step: JsonObject): boolean {
  return step['type'] === 'loop';
}

function nameOfStep({ step, path }: OlderStep): string {
  const noun = isLoop(step) ? 'loop' : 'step';
  return typeof step['id'] === 'string' ? `${noun} '${step['id']}'` : `the ${noun} at /${path.join('/')}`;
}

/** The longest text that `metaGuidance` accepts. */
const maxStatement = 256;

/**
 * Inlines functions, which older workflows define once and refer to by name. Each step gets the text of the functions
 * it refers to in its guidance; functions without a reference go to `metaGuidance`, which agents see with the first
 * step.
 */
export function* changesOfFunctions(document: JsonObject): Generator<Change> {
  const everywhere = definitionsIn(document);
  const steps = [...olderSteps(document['steps'])];
  const used = new Set<string>();
  for (const older of steps) {
    const { step, loops } = older;
    const known = new Map([...everywhere, ...loops.flatMap(definitionsIn), ...definitionsIn(step)]);
    if (!isLoop(step)) yield* changesOfStep(older, known, used);
    for (const key of ['functionDefinitions', 'functionReferences', 'functionCalls']) {
      if (Object.hasOwn(step, key)) yield { path: [...older.path, key], edit: { kind: 'remove' } };
    }
  }
  yield* changesOfUnusedFunctions(document, everywhere, used);
}

type Definitions = readonly (readonly [name: string, text: string])[];

function definitionsIn(owner: JsonObject): Definitions {
  const definitions = owner['functionDefinitions'];
  if (!Array.isArray(definitions)) return [];
  return (definitions as readonly Json[]).filter(isJsonObject).map((definition) => {
    const name = inSentence(definition['name']);
    return [name, `${name}(${parametersOf(definition)}): ${inSentence(definition['definition'])}`] as const;
  });
}

function parametersOf({ parameters }: JsonObject): string {
  if (!Array.isArray(parameters)) return '';
  return (parameters as readonly Json[])
    .filter(isJsonObject)
    .map(
      ({ name, type, required }) => `${inSentence(name)}${required === true ? '' : '?'}: ${inSentence(type)}`,
    )
    .join(', ');
}

function* changesOfStep(
  older: OlderStep,
  known: ReadonlyMap<string, string>,
  used: Set<string>,
): Generator<Change> {
  const { step, path } = older;
  const [references, calls] = [namesIn(step['functionReferences']), callsIn(step['functionCalls'])];
  const own = definitionsIn(step).map(([name]) => name);
  const names = new Set([...references, ...calls.map(({ name }) => name), ...own]);
  if (names.size === 0) return;
  const texts = [...names].flatMap((name) => known.get(name) ?? []);
  for (const name of names) used.add(name);
  const lines = [
    ...(references.length === 0
      ? []
      : [`Apply in this order: ${references.map((name) => `${name}()`).join(', ')}.`]),
    ...calls.map(({ text }) => `Apply ${text}.`),
    ...texts,
  ];
  const value = [...guidanceOf(step), ...lines];
  const what = `${nameOfStep(older)} now has the functions it refers to in its guidance`;
  yield { path: [...path, 'guidance'], edit: { kind: 'set', value }, what };
}

function inSentence(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Returns the guidance of a step as a list; it may be a single text. */
function guidanceOf({ guidance }: JsonObject): readonly Json[] {
  if (Array.isArray(guidance)) return guidance as readonly Json[];
  return guidance === undefined ? [] : [guidance];
}

function namesIn(references: Json | undefined): readonly string[] {
  if (!Array.isArray(references)) return [];
  return (references as readonly Json[]).map((reference) => inSentence(reference).replace(/\(\)$/, ''));
}

function callsIn(calls: Json | undefined): readonly { readonly name: string; readonly text: string }[] {
  if (!Array.isArray(calls)) return [];
  return (calls as readonly Json[]).filter(isJsonObject).map((call) => {
    const name = inSentence(call['name']);
    const given = isJsonObject(call['args']) ? Object.entries(call['args']) : [];
    const text = given.map(([parameter, value]) => `${parameter}: ${JSON.stringify(value)}`).join(', ');
    return { name, text: `${name}(${text})` };
  });
}

/** Moves the functions that no step refers to into `metaGuidance`. */
function* changesOfUnusedFunctions(
  document: JsonObject,
  everywhere: Definitions,
  used: ReadonlySet<string>,
): Generator<Change> {
  if (!Object.hasOwn(document, 'functionDefinitions')) return;
  const unused = everywhere.filter(([name]) => !used.has(name)).map(([, text]) => text);
  const meta = document['metaGuidance'];
  if (unused.length > 0) {
    const value = [...(Array.isArray(meta) ? (meta as readonly Json[]) : []), ...unused.flatMap(pieces)];
    const what = 'functions that no step refers to are now in metaGuidance';
    yield { path: ['metaGuidance'], edit: { kind: 'set', value }, what };
  }
  const what =
    "'functionDefinitions' is removed: the functions are now in the guidance of the steps that refer to them";
  yield { path: ['functionDefinitions'], edit: { kind: 'remove' }, what };
}

/** Splits a text between words into pieces that `metaGuidance` accepts. */
function pieces(text: string): readonly string[] {
  const cut: string[] = [];
  let rest = text;
  while (rest.length > maxStatement) {
    const space = rest.lastIndexOf(' ', maxStatement);
    const end = space > 0 ? space : maxStatement;
    cut.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? cut : [...cut, rest];
}

export function* changesOfFields(document: JsonObject): Generator<Change> {
  for (const older of olderSteps(document['steps'])) {
    const { step, path } = older;
    if (Object.hasOwn(step, 'hasValidation')) {
      const what = `'hasValidation' of ${nameOfStep(older)} is removed: the criteria alone define what is checked`;
      yield { path: [...path, 'hasValidation'], edit: { kind: 'remove' }, what };
    }
    yield* renamed(older, 'name', 'title');
    if (!isLoop(step)) yield* renamed(older, 'description', 'prompt');
  }
}

/** Renames a field. If the new name is taken, a description becomes guidance and anything else a note. */
function* renamed(older: OlderStep, from: string, to: string): Generator<Change> {
  const { step, path } = older;
  const text = step[from];
  if (typeof text !== 'string') return;
  if (!Object.hasOwn(step, to)) {
    const what = `'${from}' of ${nameOfStep(older)} is now '${to}'`;
    yield { path: [...path, from], edit: { kind: 'rename', to }, what };
  } else if (from === 'description') {
    const value = [...guidanceOf(step), text];
    const what = `'${from}' of ${nameOfStep(older)} is now part of its guidance`;
    yield { path: [...path, 'guidance'], edit: { kind: 'set', value }, what };
    yield {
      path: [...path, from],
      edit: { kind: 'remove' },
      what: `'${from}' of ${nameOfStep(older)} is removed`,
    };
  }
}

/**
 * Moves the confirmation of an older loop, which loops no longer have, to the first step of its body, for the first
 * round.
 */
export function* changesOfConfirmations(document: JsonObject): Generator<Change> {
  const steps = [...olderSteps(document['steps'])];
  for (const older of steps) {
    const { step, path } = older;
    const asked = step['requireConfirmation'];
    if (!isLoop(step) || asked === undefined) continue;
    const first = firstOfBody(older, steps);
    if (asked !== false && first !== undefined) yield* changesOfFirstStep(asked, step, first);
    const where =
      asked === false || first === undefined ? '' : `, and ${nameOfStep(first)} asks in the first round`;
    yield {
      path: [...path, 'requireConfirmation'],
      edit: { kind: 'remove' },
      what: `'requireConfirmation' of ${nameOfStep(older)} is removed${where}`,
    };
  }
}

function firstOfBody({ step, path }: OlderStep, steps: readonly OlderStep[]): OlderStep | undefined {
  const { body } = step;
  const isFirst: (other: OlderStep) => boolean =
    typeof body === 'string'
      ? (other) => other.step['id'] === body && isBeside(other.path, path)
      : (other) => other.path.join('/') === [...path, 'body', 0].join('/');
  return steps.find((other) => isFirst(other) && !isLoop(other.step));
}

function isBeside(a: Path, b: Path): boolean {
  return a.slice(0, -1).join('/') === b.slice(0, -1).join('/');
}

function* changesOfFirstStep(asked: Json, loop: JsonObject, first: OlderStep): Generator<Change> {
  const own = first.step['requireConfirmation'];
  if (own === true) return;
  const { iterationVar } = isJsonObject(loop['loop']) ? loop['loop'] : {};
  const round: JsonObject = { var: iterationVar ?? 'currentIteration', equals: 1 };
  const inFirst: JsonObject = asked === true ? round : { and: [asked, round] };
  const value: JsonObject = own === undefined || own === false ? inFirst : { or: [own, inFirst] };
  const what = `${nameOfStep(first)} asks for the confirmation of its loop`;
  yield { path: [...first.path, 'requireConfirmation'], edit: { kind: 'set', value }, what };
}
