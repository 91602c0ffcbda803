import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { createListeners, cacheResult, sortProblems, sortSummaries } from './workflow-store.ts';
import { systemCode } from './errors.ts';
import type { DefinitionProblem, Provenance, UntrustedDefinition, WorkflowStore } from './workflow-store.ts';
import { fileMessages, workflowUnreadable } from './messages.ts';

/** One layer of a layered store. */
export interface Layer {
  /** The name that people use for it, such as `user`. */
  readonly name: string;
  readonly store: WorkflowStore & {
    /** Returns the file that serves an id, relative to the source. Files stores have this method. */
    readonly fileOf?: (id: string) => Promise<string | undefined>;
    readonly digestFor?: (id: string) => Promise<{ readonly digest: string } | undefined>;
  };
  /**
   * Present on a layer that is less trusted than the layers below it that do not have this method: returns whether the
   * layer may replace a workflow of theirs. If not, their workflow is served as if this layer did not have the id.
   */
  readonly mayReplace?: (id: string) => Promise<boolean>;
}

/** The origin of a served workflow. */
export interface WorkflowOrigin {
  /** The name of the layer. */
  readonly source: string;
  /** The file in the layer, if the layer knows it. */
  readonly file?: string;
}

/** The contents of one layer. */
export interface SourceReport {
  readonly name: string;
  /** The number of workflows in it, including overridden ones. */
  readonly count: number;
  /** The ids that are served from it, sorted. */
  readonly ids: readonly string[];
  /** The ids in it that a higher layer serves or refuses, sorted. */
  readonly overridden: readonly string[];
  /** The file of each id, if the layer knows it. */
  readonly files: ReadonlyMap<string, string>;
  /** All problems of the layer, whichever layer serves the ids. */
  readonly problems: readonly DefinitionProblem[];
  /** The definitions that are not served because nobody trusted them. */
  readonly untrusted: readonly UntrustedDefinition[];
}

/** Several stores as one, with the origin of each workflow. */
export interface LayeredStore extends WorkflowStore {
  untrusted(): Promise<readonly UntrustedDefinition[]>;
  provenance(id: string): Promise<Provenance | undefined>;
  /** Returns a report on each layer, lowest precedence first. */
  sources(): Promise<readonly SourceReport[]>;
  /** Returns where the workflow with this id comes from, or `undefined` if it is not served. */
  origin(id: string): Promise<WorkflowOrigin | undefined>;
}

/**
 * Combines several stores into one. Layers are given lowest precedence first: a higher layer overrides an id, even with
 * a broken file, in which case the problem is returned for that id (docs/authoring.md#where-definitions-come-from). A
 * layer that throws is reported as a problem under the layer's name. The other layers are served, and the failed one is
 * asked again at the next call. Closing the store closes every layer.
 *
 * @example
 * ```ts
 * const store = createLayeredStore([
 *   { name: 'shared', store: createFilesStore({ directory: 'shared', read }) },
 *   { name: 'mine', store: createFilesStore({ directory: 'mine', read }) },
 * ]);
 * ```
 */
export function createLayeredStore(layers: readonly Layer[]): LayeredStore {
  const listeners = createListeners();
  const merged = cacheResult(async () => {
    const views = await Promise.all(layers.map(readLayer));
    const held = await withheldIds(layers, views);
    const merging = mergeLayers(views, held);
    return {
      views,
      ...merging,
      untrusted: [...merging.untrusted, ...(await replacementEntries(layers, held))],
    };
  });
  const stops = layers.map(({ store }) =>
    store.watch((change) => {
      merged.forget();
      listeners.emit(change);
    }),
  );

  async function current(): Promise<MergedLayers & { readonly views: readonly LayerView[] }> {
    const answer = await merged.get();
    if (answer.views.some(({ failure }) => failure !== undefined)) merged.forget();
    return answer;
  }

  async function layerOf(id: string): Promise<Layer | undefined> {
    const number = (await current()).servedBy.get(id);
    return number === undefined ? undefined : layers[number];
  }

  return {
    list: async () => (await current()).summaries,
    problems: async () => (await current()).problems,
    async get(id) {
      // Starting at the top avoids merging all layers after an edit of one definition.
      for (const [index, layer] of [...layers.entries()].toReversed()) {
        const answer = await getFromLayer(layer, id);
        if (answer !== 'not here' && !(await isWithheld(layers, index, id))) return answer;
      }
      return undefined;
    },
    async origin(id) {
      const layer = await layerOf(id);
      if (layer === undefined) return undefined;
      const file = await layer.store.fileOf?.(id);
      return { source: layer.name, ...(file !== undefined && { file }) };
    },
    untrusted: async () => (await current()).untrusted,
    async provenance(id) {
      const layer = await layerOf(id);
      if (layer === undefined) return undefined;
      const digest = await definitionDigest(layer.store, id);
      return digest === undefined ? undefined : { digest, source: layer.name };
    },
    async sources() {
      const { views, servedBy, untrusted } = await current();
      return Promise.all(
        layers.map(async (layer, at) => ({
          ...(await reportOf(layer, views[at], (id) => servedBy.get(id) === at)),
          untrusted: untrusted.filter(({ source }) => source === layer.name),
        })),
      );
    },
    watch: listeners.watch,
    async close() {
      for (const stop of stops) stop();
      listeners.clear();
      await Promise.all(layers.map(({ store }) => store.close()));
    },
  };
}

async function reportOf(
  layer: Layer,
  { summaries, problems, failure }: LayerView = { summaries: [], problems: [], untrusted: [] },
  isServedFrom: (id: string) => boolean,
): Promise<Omit<SourceReport, 'untrusted'>> {
  const all = summaries.map(({ id }) => id);
  return {
    name: layer.name,
    count: all.length,
    ids: all.filter(isServedFrom),
    overridden: all.filter((id) => !isServedFrom(id)),
    files: await filesOf(layer, all),
    problems: failure === undefined ? problems : [failure],
  };
}

async function filesOf({ store }: Layer, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = await Promise.all(ids.map(async (id) => [id, await store.fileOf?.(id)] as const));
  return new Map(files.flatMap(([id, file]) => (file === undefined ? [] : [[id, file]])));
}

/** Returns, for each layer, the ids that it may not replace, with the name of the more trusted layer that has them. */
async function withheldIds(
  layers: readonly Layer[],
  views: readonly LayerView[],
): Promise<readonly ReadonlyMap<string, string>[]> {
  const trusted = new Map<string, string>();
  const held: ReadonlyMap<string, string>[] = [];
  for (const [index, view] of views.entries()) {
    const ids = new Set([...view.summaries, ...view.problems.filter(isRefusal)].map(({ id }) => id));
    const { mayReplace, name = '' } = layers[index] ?? {};
    const own = new Map<string, string>();
    for (const id of ids) {
      const servedFrom = trusted.get(id);
      if (mayReplace === undefined) trusted.set(id, name);
      else if (servedFrom !== undefined && !(await mayReplace(id))) own.set(id, servedFrom);
    }
    held.push(own);
  }
  return held;
}

/**
 * Returns a list entry for each definition that may not replace one of a more trusted layer. Leaves out definitions
 * with the same digest, which both layers have if a project is also the source of a trusted layer.
 */
async function replacementEntries(
  layers: readonly Layer[],
  held: readonly ReadonlyMap<string, string>[],
): Promise<readonly UntrustedDefinition[]> {
  const found = layers.flatMap(({ name: source, store }, index) =>
    Array.from(held[index] ?? [], async ([id, servedFrom]): Promise<UntrustedDefinition | undefined> => {
      const own = await definitionDigest(store, id);
      const other = layers.find(({ name }) => name === servedFrom);
      if (own !== undefined && other && own === (await definitionDigest(other.store, id))) return undefined;
      const file = (await store.fileOf?.(id)) ?? (await fileOfProblem(store, id));
      const digest = (await store.digestFor?.(id))?.digest;
      return { id, source, file, reason: 'replaces', servedFrom, ...(digest !== undefined && { digest }) };
    }),
  );
  return (await Promise.all(found)).filter((one) => one !== undefined);
}

/** Returns the digest of the definition that a store serves under an id, or `undefined` if it serves none. */
async function definitionDigest(store: WorkflowStore, id: string): Promise<string | undefined> {
  return ((await store.provenance?.(id)) ?? (await store.get(id)))?.digest;
}

async function fileOfProblem(store: WorkflowStore, id: string): Promise<string> {
  return (await store.problems()).find((problem) => problem.id === id)?.file ?? '.';
}

/** Whether a layer may not replace one id, without checking all other ids. */
async function isWithheld(layers: readonly Layer[], index: number, id: string): Promise<boolean> {
  const { mayReplace } = layers[index] ?? {};
  if (mayReplace === undefined) return false;
  const below = layers.slice(0, index).filter((layer) => layer.mayReplace === undefined);
  for (const layer of below) {
    const { summaries, problems } = await readLayer(layer);
    const has =
      summaries.some((one) => one.id === id) || problems.some((one) => one.id === id && isRefusal(one));
    if (has) return !(await mayReplace(id));
  }
  return false;
}

function isRefusal({ severity }: DefinitionProblem): boolean {
  return severity === 'error';
}

/**
 * Returns the workflow of a layer, or `undefined` if a broken file refuses the id. A layer that fails has no workflows.
 */
async function getFromLayer({ name, store }: Layer, id: string): Promise<Workflow | 'not here' | undefined> {
  try {
    const workflow = await store.get(id);
    if (workflow !== undefined) return workflow;
    const problems = await store.problems();
    return problems.some((problem) => problem.id === id && problem.severity === 'error')
      ? undefined
      : 'not here';
  } catch (cause) {
    if (cause instanceof WorkflowError && cause.code === 'INVALID_WORKFLOW') throw cause;
    const { failure } = await readLayer({ name, store });
    if (failure !== undefined) return 'not here';
    throw new WorkflowError('SOURCE_UNREADABLE', workflowUnreadable(id, name), {
      data: { workflowId: id, source: name },
      cause,
    });
  }
}

/** The answers of one layer. */
interface LayerView {
  readonly summaries: readonly WorkflowSummary[];
  readonly problems: readonly DefinitionProblem[];
  /** In the order of the layer, each with the name of the layer. */
  readonly untrusted: readonly UntrustedDefinition[];
  /** Present if the layer did not answer at all. */
  readonly failure?: DefinitionProblem;
}

/** All layers combined. */
interface MergedLayers {
  readonly summaries: readonly WorkflowSummary[];
  readonly problems: readonly DefinitionProblem[];
  readonly untrusted: readonly UntrustedDefinition[];
  /** The number of the layer that serves an id. */
  readonly servedBy: ReadonlyMap<string, number>;
}

/** Asks a layer for everything. A failure is part of the answer. */
async function readLayer({ name, store }: Layer): Promise<LayerView> {
  try {
    const [summaries, problems, held = []] = await Promise.all([
      store.list(),
      store.problems(),
      store.untrusted?.(),
    ]);
    return { summaries, problems, untrusted: held.map((one) => ({ ...one, source: name })) };
  } catch (error) {
    return { summaries: [], problems: [], untrusted: [], failure: layerFailure(name, error) };
  }
}

/**
 * Combines layers, lowest first. The highest layer that serves an id or has a broken file for it decides: a broken file
 * is never silently replaced by a lower layer. A problem that a lower layer has with such an id becomes a warning.
 * `held` has the ids that each layer may not decide, because a more trusted layer has them.
 */
function mergeLayers(
  views: readonly LayerView[],
  held: readonly Pick<ReadonlySet<string>, 'has'>[],
): MergedLayers {
  const decided = new Map<string, Decision>();
  for (const [layer, { summaries, problems }] of views.entries()) {
    const mayDecide = (id: string): boolean => held[layer]?.has(id) !== true;
    for (const { id, severity } of problems)
      if (severity === 'error' && mayDecide(id)) decided.set(id, { layer });
    for (const summary of summaries) if (mayDecide(summary.id)) decided.set(summary.id, { layer, summary });
  }
  const served = [...decided.values()].flatMap(({ summary, layer }) => (summary ? [{ summary, layer }] : []));
  const problems = views.flatMap(({ failure, problems: own }, layer) => [
    ...own.map((problem) => (decided.get(problem.id)?.layer === layer ? problem : asWarning(problem))),
    ...(failure ? [failure] : []),
  ]);
  return {
    summaries: sortSummaries(served.map(({ summary }) => summary)),
    problems: sortProblems(problems),
    untrusted: views.flatMap((view) => view.untrusted),
    servedBy: new Map(served.map(({ summary, layer }) => [summary.id, layer])),
  };
}

interface Decision {
  readonly layer: number;
  /** Absent if a broken file refuses the id. */
  readonly summary?: WorkflowSummary;
}

function asWarning(problem: DefinitionProblem): DefinitionProblem {
  return problem.severity === 'warning' ? problem : { ...problem, severity: 'warning' };
}

/** Passes on our own messages only: other messages may contain paths outside of the source. */
function layerFailure(name: string, error: unknown): DefinitionProblem {
  const reason = error instanceof WorkflowError ? error.message : systemCode(error);
  const issue = {
    severity: 'error',
    code: 'unreadable-file',
    pointer: '',
    ...fileMessages.sourceFailed(name, reason),
    line: 1,
    column: 1,
  } as const;
  return { id: name, file: '.', severity: 'error', code: 'SOURCE_UNREADABLE', issues: [issue] };
}
