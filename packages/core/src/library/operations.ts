import type { ActivityPart, ActivityWorkflow, Json, SkillPart } from '@workflowlookup/schema';
import {
  defined,
  digestOf,
  findElement,
  isJsonObject,
  parseOperationReference,
  parseResourceReference,
} from '@workflowlookup/schema';
import type { Library, Scope } from './library.ts';
import { sharedWorkflowId, searchSkills } from './library.ts';
import { toToon } from './texts.ts';

/** The role that a set of operations is for. */
export type Role = 'orchestrator' | 'worker';

/** The operations of every orchestrator and every worker if `meta` does not define them. */
export const defaultOperations: Readonly<Record<Role, readonly string[]>> = {
  orchestrator: [
    'workflow-engine::run-session',
    'workflow-engine::dispatch-activity',
    'workflow-engine::evaluate-transition',
    'workflow-engine::bubble-checkpoint',
    'workflow-engine::present-checkpoint',
    'workflow-engine::respond-checkpoint',
    'workflow-engine::run-sub-workflow',
    'agent-conduct::orchestrator-discipline',
    'agent-conduct::checkpoint-discipline',
    'agent-conduct::operational-discipline',
  ],
  worker: [
    'workflow-engine::yield-checkpoint',
    'workflow-engine::resume-checkpoint',
    'workflow-engine::write-manifest',
    'workflow-engine::finalize-activity',
    'agent-conduct::checkpoint-discipline',
    'agent-conduct::operational-discipline',
    'agent-conduct::file-sensitivity',
    'agent-conduct::code-commentary',
  ],
};

/** The references everybody in a role gets, whatever the workflow: `operationsFor` of `meta`, else the defaults. */
export function coreOperations(library: Library, role: Role): readonly string[] {
  return library.get(sharedWorkflowId)?.definition.operationsFor?.[role] ?? defaultOperations[role];
}

/** The resolution of a reference to an operation, a rule or an error. */
export interface ResolvedElement {
  /** The reference as it was given; of an appended rule, one with the workflow. */
  readonly ref: string;
  /** Id of the skill; empty if the reference names none. */
  readonly source: string;
  /** The workflow the skill was found in or, if it was not found, the workflow that the reference names. */
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
 * skills that were found, each once. It takes the first workflow in the order of {@link findSkill} whose skill has the
 * element. Never throws: a malformed or unknown reference becomes `not-found`. Resources that an operation of another
 * workflow names get that workflow's prefix, so that they can be loaded as given.
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
    return { ref, source, ...defined({ workflow: named }), name, type: 'not-found' };
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

/** An element of a bundle, under the reference that texts use for it. */
type BundleEntry = Pick<ResolvedElement, 'ref' | 'type' | 'body'>;

/** The operations, rules and errors an agent gets ahead of a text. */
export interface OperationBundle {
  readonly entries: readonly BundleEntry[];
  /** Identifies the content of the bundle. Two bundles with the same digest have the same text. */
  readonly digest: string;
}

/**
 * Returns the bundle of an orchestrator: the operations that the workflow declares and the core set. Without a
 * workflow, the core set.
 */
export function orchestratorBundle(library: Library, workflow?: ActivityWorkflow): OperationBundle {
  const declared = workflow?.definition.operations;
  return bundle(declared, coreOperations(library, 'orchestrator'), library, workflow);
}

/**
 * Returns the bundle of a worker: the operations that the activity declares and the core set. Without an activity, the
 * core set.
 */
export function workerBundle(
  library: Library,
  workflow?: ActivityWorkflow,
  activity?: ActivityPart,
): OperationBundle {
  const declared = activity?.definition.operations;
  return bundle(declared, coreOperations(library, 'worker'), library, workflow, activity);
}

/**
 * Returns the bundle of an agent that works alone: the operations that the activity declares and the `solo` set of
 * `meta`, without what is only for orchestrators and workers. If `meta` has no such set, the bundle of a worker.
 */
export function soloBundle(
  library: Library,
  workflow?: ActivityWorkflow,
  activity?: ActivityPart,
): OperationBundle {
  const solo = library.get(sharedWorkflowId)?.definition.operationsFor?.solo;
  if (solo === undefined) return workerBundle(library, workflow, activity);
  const declared = activity?.definition.operations ?? [];
  const own = new Set([...declared, ...solo].map(elementOf));
  const others = new Set(
    [...coreOperations(library, 'orchestrator'), ...coreOperations(library, 'worker')].map(elementOf),
  );
  // A rule of a skill comes with each operation of it, also a rule for orchestrators.
  const entries = bundle(declared, solo, library, workflow, activity).entries.filter(({ ref }) => {
    const element = elementOf(ref);
    return own.has(element) || !others.has(element);
  });
  return { entries, digest: digestOf(entries) };
}

/** Returns a reference without its workflow. */
function elementOf(ref: string): string {
  return ref.slice(ref.indexOf('/') + 1);
}

/** Returns the entries of a bundle in TOON that an agent does not have yet; empty if it has them all. */
export async function newEntriesText({ entries }: OperationBundle, had: readonly string[]): Promise<string> {
  const known = new Set(had);
  const operations = entries.filter((entry) => !known.has(digestOf(entry)));
  return operations.length === 0 ? '' : toToon({ operations });
}

/** A bundle in TOON: the name of its digest, then its entries. */
export function bundleText({ entries, digest }: OperationBundle): Promise<string> {
  return toToon({ bundle: nameOf(digest), operations: entries });
}

/** Returns enough of a digest to tell the bundles of a session apart, because a model reads every digit. */
export function nameOf(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 8);
}

function bundle(
  declared: readonly string[] = [],
  core: readonly string[],
  library: Library,
  workflow?: ActivityWorkflow,
  activity?: ActivityPart,
): OperationBundle {
  const scope: Scope = { library, workflowId: workflow?.id, lender: activity?.lender };
  const wanted = new Set(declared);
  const resolved = resolveOperations([...new Set([...declared, ...core])], scope);
  const entries = withoutRepeats(
    // Core sets name operations that not every meta workflow has. A missing operation that an author declares is shown.
    resolved.filter(({ ref, type }) => type !== 'not-found' || wanted.has(ref)),
  ).map(({ ref, type, body }) => ({ ref, type, ...defined({ body }) }));
  return { entries, digest: digestOf(entries) };
}

/** Two references may lead to one element; the first one shows it. */
function withoutRepeats(elements: readonly ResolvedElement[]): readonly ResolvedElement[] {
  const seen = new Set<string>();
  return elements.filter(({ ref, workflow, source, name, type }) => {
    const identity = JSON.stringify(type === 'not-found' ? [ref] : [workflow, source, type, name]);
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}
