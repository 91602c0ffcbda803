import type { Json, SkillPart } from '@workflowlookup/schema';
import {
  findElement,
  isJsonObject,
  parseOperationReference,
  parseResourceReference,
} from '@workflowlookup/schema';
import { searchSkills } from './find-skill.ts';
import type { Scope } from './library.ts';

/** What a reference to an operation, a rule or an error comes to. */
export interface ResolvedElement {
  /** The reference as it was given; of an appended rule, one with the workflow. */
  readonly ref: string;
  /** Id of the skill; empty when the reference names none. */
  readonly source: string;
  /** Where the skill was found; of what was not found, the workflow that the reference names. */
  readonly workflow?: string;
  readonly name: string;
  readonly type: 'operation' | 'rule' | 'error' | 'not-found';
  readonly body?: Json;
}

/** A skill of which something was found. */
interface Touched {
  readonly workflow: string;
  /** Names of the rules that are there already. */
  readonly rules: Set<string>;
}

/**
 * Resolves `[workflow/]skill::element` references, one entry for each in their order, then the remaining rules of the
 * skills of which something was found, each once. The first workflow in the order of {@link findSkill} whose skill has
 * the element is taken. Never throws: what is malformed or unknown is `not-found`.
 *
 * Resources that an operation of another workflow names get that workflow's prefix, so that they can be loaded as given.
 *
 * @see docs/authoring.md#skills
 */
export function resolveOperations(refs: readonly string[], scope: Scope): readonly ResolvedElement[] {
  const touched = new Map<SkillPart, Touched>();
  const resolved = refs.map((ref) => resolve(ref, scope, touched));
  return [...resolved, ...[...touched].flatMap(([skill, touch]) => remainingRules(skill, touch))];
}

function resolve(ref: string, scope: Scope, touched: Map<SkillPart, Touched>): ResolvedElement {
  const parsed = parseOperationReference(ref);
  if (parsed === undefined) return malformed(ref);
  const { workflow: named, skill: source, element: name } = parsed;
  const [first] = searchSkills(scope, parsed).skills.flatMap(({ skill, workflow }) => {
    const element = findElement(skill, name);
    return element === undefined ? [] : [{ skill, workflow, element }];
  });
  if (first === undefined) {
    return { ref, source, ...(named !== undefined && { workflow: named }), name, type: 'not-found' };
  }
  const { skill, workflow, element } = first;
  const touch = touched.get(skill) ?? { workflow, rules: new Set() };
  touched.set(skill, touch);
  if (element.type === 'rule') touch.rules.add(name);
  const isForeign = element.type === 'operation' && workflow !== scope.workflowId;
  const body = isForeign ? withOwnResources(element.body, workflow) : element.body;
  return { ref, source, workflow, name, type: element.type, body };
}

function remainingRules({ id, definition }: SkillPart, touch: Touched): readonly ResolvedElement[] {
  const { workflow, rules } = touch;
  return Object.entries(definition.rules ?? {})
    .filter(([name]) => !rules.has(name))
    .map(([name, body]) => {
      return { ref: `${workflow}/${id}::${name}`, source: id, workflow, name, type: 'rule', body };
    });
}

/** Resources are named as seen from the skill's workflow, and loaded as seen from the session's. */
function withOwnResources(body: Json, workflow: string): Json {
  if (!isJsonObject(body) || !Object.hasOwn(body, 'resources')) return body;
  const { resources } = body;
  if (!Array.isArray(resources)) return body;
  const qualify = (reference: Json): Json => {
    const parsed = typeof reference === 'string' ? parseResourceReference(reference) : undefined;
    return parsed === undefined || parsed.workflow !== undefined
      ? reference
      : `${workflow}/${parsed.resource}`;
  };
  return { ...body, resources: (resources as readonly Json[]).map(qualify) };
}

function malformed(ref: string): ResolvedElement {
  const [source = '', name = ''] = ref.split('::');
  return { ref, source, name, type: 'not-found' };
}
