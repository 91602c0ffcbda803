import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import type { Change } from './change.ts';
import type { OlderStep } from './older-steps.ts';
import { isLoop, nameOfStep, olderSteps } from './older-steps.ts';

/** Longest text of `metaGuidance`. */
const maxStatement = 256;

/**
 * Older steps refer to functions, texts that are defined once and meant wherever they are named. There are none any
 * more: each step is told what it refers to, and the first one what nothing refers to.
 */
export function* changesOfFunctions(document: JsonObject): Generator<Change> {
  const everywhere = definitionsIn(document);
  const steps = [...olderSteps(document['steps'])];
  const told = new Set<string>();
  for (const older of steps) {
    const { step, loops } = older;
    const known = new Map([...everywhere, ...loops.flatMap(definitionsIn), ...definitionsIn(step)]);
    if (!isLoop(step)) yield* inGuidance(older, known, told);
    for (const key of ['functionDefinitions', 'functionReferences', 'functionCalls']) {
      if (Object.hasOwn(step, key)) yield { path: [...older.path, key], edit: { kind: 'remove' } };
    }
  }
  yield* leftOver(document, everywhere, told);
}

type Definitions = readonly (readonly [name: string, text: string])[];

function definitionsIn(owner: JsonObject): Definitions {
  const definitions = owner['functionDefinitions'];
  if (!Array.isArray(definitions)) return [];
  return (definitions as readonly Json[]).filter(isJsonObject).map((definition) => {
    const name = said(definition['name']);
    return [name, `${name}(${parametersOf(definition)}): ${said(definition['definition'])}`] as const;
  });
}

function parametersOf({ parameters }: JsonObject): string {
  if (!Array.isArray(parameters)) return '';
  return (parameters as readonly Json[])
    .filter(isJsonObject)
    .map(({ name, type, required }) => `${said(name)}${required === true ? '' : '?'}: ${said(type)}`)
    .join(', ');
}

function* inGuidance(
  older: OlderStep,
  known: ReadonlyMap<string, string>,
  told: Set<string>,
): Generator<Change> {
  const { step, path } = older;
  const [references, calls] = [namesIn(step['functionReferences']), callsIn(step['functionCalls'])];
  const own = definitionsIn(step).map(([name]) => name);
  const names = new Set([...references, ...calls.map(({ name }) => name), ...own]);
  if (names.size === 0) return;
  const texts = [...names].flatMap((name) => known.get(name) ?? []);
  for (const name of names) told.add(name);
  const lines = [
    ...(references.length === 0
      ? []
      : [`Apply in this order: ${references.map((name) => `${name}()`).join(', ')}.`]),
    ...calls.map(({ text }) => `Apply ${text}.`),
    ...texts,
  ];
  const value = [...guidanceOf(step), ...lines];
  const what = `${nameOfStep(older)} is told in its guidance which functions it refers to`;
  yield { path: [...path, 'guidance'], edit: { kind: 'set', value }, what };
}

/** A value in a sentence. */
function said(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The guidance a step has, which may be one text. */
export function guidanceOf({ guidance }: JsonObject): readonly Json[] {
  if (Array.isArray(guidance)) return guidance as readonly Json[];
  return guidance === undefined ? [] : [guidance];
}

function namesIn(references: Json | undefined): readonly string[] {
  if (!Array.isArray(references)) return [];
  return (references as readonly Json[]).map((reference) => said(reference).replace(/\(\)$/, ''));
}

function callsIn(calls: Json | undefined): readonly { readonly name: string; readonly text: string }[] {
  if (!Array.isArray(calls)) return [];
  return (calls as readonly Json[]).filter(isJsonObject).map((call) => {
    const name = said(call['name']);
    const given = isJsonObject(call['args']) ? Object.entries(call['args']) : [];
    const text = given.map(([parameter, value]) => `${parameter}: ${JSON.stringify(value)}`).join(', ');
    return { name, text: `${name}(${text})` };
  });
}

/** Definitions of the workflow that no step refers to are told with the first step. */
function* leftOver(
  document: JsonObject,
  everywhere: Definitions,
  told: ReadonlySet<string>,
): Generator<Change> {
  if (!Object.hasOwn(document, 'functionDefinitions')) return;
  const untold = everywhere.filter(([name]) => !told.has(name)).map(([, text]) => text);
  const meta = document['metaGuidance'];
  if (untold.length > 0) {
    const value = [...(Array.isArray(meta) ? (meta as readonly Json[]) : []), ...untold.flatMap(pieces)];
    const what = 'functions that no step refers to are told with the first step, in metaGuidance';
    yield { path: ['metaGuidance'], edit: { kind: 'set', value }, what };
  }
  const what = "'functionDefinitions' goes: what steps refer to stands in their guidance";
  yield { path: ['functionDefinitions'], edit: { kind: 'remove' }, what };
}

/** A text in pieces that a list of statements takes, cut between words. */
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
