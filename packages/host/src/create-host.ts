import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '@workflowlookup/core';
import { createEngine, readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import { createCachedStore } from '@workflowlookup/storage/cached';
import type { Folder } from '@workflowlookup/schema';
import type { FilesStore } from '@workflowlookup/storage/files';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { Layer } from '@workflowlookup/storage/layered';
import { createLayeredStore } from '@workflowlookup/storage/layered';
import type { Source, SourceOptions } from './sources.ts';
import { sourcesOf } from './sources.ts';

/** A running engine and where its definitions come from. */
export interface Host {
  readonly engine: Engine;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
}

/** Wires an engine over the directories the options name. Nothing is read before the first call, and nothing is written. */
export function createHost(options: SourceOptions = {}): Host {
  const sources = sourcesOf(options, bundledDirectory());
  const layers = createLayers(sources);
  const workflows = createCachedStore(createLayeredStore(layers));
  return { engine: createEngine({ workflows }), sources };
}

function createLayers(sources: readonly Source[]): readonly (Layer & { readonly store: FilesStore })[] {
  const layers = sources.map(({ name, directory }) => {
    const borrow = (workflow: string): Promise<Folder | undefined> => lendFrom(others(), workflow);
    const store = createFilesStore({
      directory,
      read: readDefinition,
      readFolder: readWorkflowFolder,
      borrow,
    });
    const others = () => layers.flatMap((layer) => (layer.store === store ? [] : layer.store));
    return { name, store };
  });
  return layers;
}

/** The folder of an activity workflow, from the source of the highest precedence that has it. */
async function lendFrom(stores: readonly FilesStore[], workflow: string): Promise<Folder | undefined> {
  for (const store of stores.toReversed()) {
    const folder = await store.lend(workflow);
    if (folder !== undefined) return folder;
  }
  return undefined;
}

/** Where the bundled workflows are installed. */
export function bundledDirectory(): string {
  const manifest = import.meta.resolve('@workflowlookup/workflows/package.json');
  return join(dirname(fileURLToPath(manifest)), 'definitions');
}
