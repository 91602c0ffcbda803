import type { Workflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { keepOnce } from './keep-once.ts';
import { createListeners } from './listeners.ts';
import type { LayerView, MergedLayers } from './merge-layers.ts';
import { mergeLayers, viewLayer } from './merge-layers.ts';
import type { DefinitionProblem, Provenance, UntrustedDefinition, WorkflowStore } from './workflow-store.ts';

/** One of the stores that are put on top of each other. */
export interface Layer {
  /** What people call it, such as `user`. */
  readonly name: string;
  readonly store: WorkflowStore & {
    /** The file that serves an id, relative to the source; a files store has it. */
    readonly fileOf?: (id: string) => Promise<string | undefined>;
    readonly digestFor?: (id: string) => Promise<{ readonly digest: string } | undefined>;
  };
  /**
   * Present on a layer that is less trusted than those below it without this: whether it may replace a workflow that
   * one of them has. Where it may not, theirs is served as if this layer did not have the id.
   */
  readonly mayReplace?: (id: string) => Promise<boolean>;
}

/** Where a workflow that is served comes from. */
export interface WorkflowOrigin {
  /** The name of the layer. */
  readonly source: string;
  /** The file in it, where the layer knows. */
  readonly file?: string;
}

/** What one layer brings. */
export interface SourceReport {
  readonly name: string;
  /** How many workflows it has, overridden ones included. */
  readonly count: number;
  /** The ids that are served from it, sorted. */
  readonly ids: readonly string[];
  /** The ids it has that a higher layer serves or refuses, sorted. */
  readonly overridden: readonly string[];
  /** The file of each id it has, where the layer knows. */
  readonly files: ReadonlyMap<string, string>;
  /** What is wrong with it, whoever serves the ids. */
  readonly problems: readonly DefinitionProblem[];
  /** What of it is not served because nobody trusted it. */
  readonly untrusted: readonly UntrustedDefinition[];
}

/** Several stores as one, and the answer to which of them won. */
export interface LayeredStore extends WorkflowStore {
  untrusted(): Promise<readonly UntrustedDefinition[]>;
  provenance(id: string): Promise<Provenance | undefined>;
  /** Lowest precedence first. */
  sources(): Promise<readonly SourceReport[]>;
  /** Where the workflow with this id is served from; `undefined` when it is not served. */
  origin(id: string): Promise<WorkflowOrigin | undefined>;
}

/**
 * Makes one store of several, lowest precedence first: a higher layer overrides an id, also with a broken file, for
 * which asking then gives the problem (docs/authoring.md#where-definitions-come-from). A layer that throws is a
 * problem that goes by the layer's name; the others are served, and it is asked again at the next call. Closing
 * closes every layer.
 */
export function createLayeredStore(layers: readonly Layer[]): LayeredStore {
  const listeners = createListeners();
  const merged = keepOnce(async () => {
    const views = await Promise.all(layers.map(viewLayer));
    const held = await heldBack(layers, views);
    const merging = mergeLayers(views, held);
    return { views, ...merging, untrusted: [...merging.untrusted, ...(await replacing(layers, held))] };
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
      // From the top, so that an edit of one definition does not cost a merge of all.
      for (const [index, layer] of [...layers.entries()].toReversed()) {
        const answer = await askLayer(layer, id);
        if (answer !== 'not here' && !(await isHeldBack(layers, index, id))) return answer;
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

/** The ids of each layer that a more trusted layer has and that it may not replace, with the name of that layer. */
async function heldBack(
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
 * What a list says of definitions that may not replace those of a more trusted layer. One that says the same replaces
 * nothing: where a project is the source of a trusted layer, it has all of them.
 */
async function replacing(
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

/** The digest of what a store serves under an id; `undefined` where it serves nothing. */
async function definitionDigest(store: WorkflowStore, id: string): Promise<string | undefined> {
  return ((await store.provenance?.(id)) ?? (await store.get(id)))?.digest;
}

async function fileOfProblem(store: WorkflowStore, id: string): Promise<string> {
  return (await store.problems()).find((problem) => problem.id === id)?.file ?? '.';
}

/** Whether one id of a layer is held back, without a look at all the others. */
async function isHeldBack(layers: readonly Layer[], index: number, id: string): Promise<boolean> {
  const { mayReplace } = layers[index] ?? {};
  if (mayReplace === undefined) return false;
  const below = layers.slice(0, index).filter((layer) => layer.mayReplace === undefined);
  for (const layer of below) {
    const { summaries, problems } = await viewLayer(layer);
    const has =
      summaries.some((one) => one.id === id) || problems.some((one) => one.id === id && isRefusal(one));
    if (has) return !(await mayReplace(id));
  }
  return false;
}

function isRefusal({ severity }: DefinitionProblem): boolean {
  return severity === 'error';
}

/** The workflow a layer has, `undefined` where its broken file refuses the id; a layer that is down has nothing. */
async function askLayer({ name, store }: Layer, id: string): Promise<Workflow | 'not here' | undefined> {
  try {
    const workflow = await store.get(id);
    if (workflow !== undefined) return workflow;
    const problems = await store.problems();
    return problems.some((problem) => problem.id === id && problem.severity === 'error')
      ? undefined
      : 'not here';
  } catch (cause) {
    const { failure } = await viewLayer({ name, store });
    if (failure !== undefined) return 'not here';
    throw new WorkflowError('STORAGE', `Workflow '${id}' can't be read from the source '${name}'.`, {
      data: { workflowId: id, source: name },
      cause,
    });
  }
}
