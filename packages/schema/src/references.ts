import type { ResourcePart, SkillPart } from './activity-workflow.ts';
import type { Json, JsonObject } from './json.ts';

/** `[workflow/]skill::element` in its parts. */
export interface OperationReference {
  readonly workflow?: string;
  readonly skill: string;
  readonly element: string;
}

/** The parts of an operation reference; `undefined` for what is none. */
export function parseOperationReference(reference: string): OperationReference | undefined {
  const [, workflow, skill, element] = /^(?:([^/:\s]+)\/)?([^/:\s]+)::([^:\s]+)$/.exec(reference) ?? [];
  if (skill === undefined || element === undefined) return undefined;
  return { skill, element, ...(workflow !== undefined && { workflow }) };
}

/** `[workflow/]skill` in its parts. */
export interface SkillReference {
  readonly workflow?: string;
  readonly skill: string;
}

/** The parts of a skill reference. */
export function parseSkillReference(reference: string): SkillReference {
  const slash = reference.indexOf('/');
  const skill = reference.slice(slash + 1);
  return slash < 0 ? { skill } : { workflow: reference.slice(0, slash), skill };
}

/** A resource reference in its parts: `[workflow/]resource`, as authors write it also `[workflow/]resources/file`. */
export interface ResourceReference {
  readonly workflow?: string;
  /** Number, id, name or file. */
  readonly resource: string;
}

/** The parts of a resource reference; `undefined` for what is none, such as a path. */
export function parseResourceReference(reference: string): ResourceReference | undefined {
  const [, workflow, resource] = /^(?:([^/]+)\/)??(?:resources\/)?([^/]+)$/.exec(reference) ?? [];
  if (resource === undefined) return undefined;
  return { resource, ...(workflow !== undefined && { workflow }) };
}

/** Whether a resource is looked for in `meta` too: not with a workflow named, and not by number, which means another one there. */
export function isSharedResource({ workflow, resource }: ResourceReference): boolean {
  return workflow === undefined && !/^\d+$/.test(resource);
}

/** What a reference to an element of a skill leads to. */
export interface SkillElement {
  readonly type: 'error' | 'operation' | 'rule';
  readonly body: Json;
}

/** The skill with this id. */
export function findSkill(skills: readonly SkillPart[], id: string): SkillPart | undefined {
  return skills.find((skill) => skill.id === id);
}

/** The element of a skill with this name: operations first, then rules, then errors; own keys only. */
export function findElement({ definition }: SkillPart, name: string): SkillElement | undefined {
  const { operations, rules, errors } = definition;
  return (
    ownElement('operation', operations as JsonObject | undefined, name) ??
    ownElement('rule', rules, name) ??
    ownElement('error', errors, name)
  );
}

function ownElement(
  type: SkillElement['type'],
  elements: JsonObject | undefined,
  name: string,
): SkillElement | undefined {
  if (elements === undefined || !Object.hasOwn(elements, name)) return undefined;
  return { type, body: elements[name] ?? null };
}

/** The resource a reference without its workflow means: by number, id, name or file. Numbers compare as numbers. */
export function findResource<Part extends Pick<ResourcePart, 'id' | 'index' | 'name'>>(
  resources: readonly Part[],
  reference: string,
): Part | undefined {
  const wanted = reference.slice(reference.lastIndexOf('/') + 1).replace(/\.(?:md|yaml|yml|json|toon)$/, '');
  const number = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  return (
    resources.find(({ index }) => number !== undefined && Number(index) === number) ??
    resources.find(({ id, name, index }) => [id, name, `${index}-${name}`].includes(wanted))
  );
}
