import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '@workflowlookup/core';
import { createEngine, readDefinition } from '@workflowlookup/core';
import { createCachedStore } from '@workflowlookup/storage/cached';
import { createFilesStore } from '@workflowlookup/storage/files';
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
  const layers = sources.map(({ name, directory }) => ({
    name,
    store: createFilesStore({ directory, read: readDefinition }),
  }));
  const workflows = createCachedStore(createLayeredStore(layers));
  return { engine: createEngine({ workflows }), sources };
}

/** Where the bundled workflows are installed. */
export function bundledDirectory(): string {
  const manifest = import.meta.resolve('@workflowlookup/workflows/package.json');
  return join(dirname(fileURLToPath(manifest)), 'definitions');
}
