// A file of its own, so that a list of the bundled workflows does not load the code that reads definitions.
import type { FilesStore, FilesStoreOptions } from '@workflowlookup/storage/files';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { BundledWorkflow } from '../bundled.ts';

interface BundledStoreOptions extends Pick<FilesStoreOptions, 'directory' | 'read' | 'readFolder'> {
  /** Called once, on first use. */
  catalogue(): readonly BundledWorkflow[];
}

/**
 * Creates the store of bundled workflows. The catalogue lists them, and each is read on first use, with the parts that
 * it borrows from others. Installed files don't change, so they are not watched.
 */
export function createBundledStore({ catalogue, ...options }: BundledStoreOptions): FilesStore {
  let known: ReadonlyMap<string, BundledWorkflow> | undefined;
  const opened = new Map<string, FilesStore>();

  function entries(): ReadonlyMap<string, BundledWorkflow> {
    known ??= new Map(catalogue().map((entry) => [entry.id, entry]));
    return known;
  }

  /** The store of one file, or of one folder, that lies directly in the directory. */
  function storeOf(name: string): FilesStore {
    const store =
      opened.get(name) ?? createFilesStore({ ...options, only: [name], updates: 'off', borrow: lend });
    opened.set(name, store);
    return store;
  }

  async function lend(workflow: string): ReturnType<FilesStore['lend']> {
    const entry = entries().get(workflow);
    return entry?.kind === 'activities' ? storeOf(placeOf(entry)).lend(workflow) : undefined;
  }

  return {
    list: async () =>
      [...entries().values()].map(({ kind: _kind, digest: _digest, file: _file, ...summary }) => summary),
    async get(id) {
      const entry = entries().get(id);
      return entry && storeOf(placeOf(entry)).get(id);
    },
    /** Returns the problems of the workflows read so far. There can be some if the installation is damaged. */
    problems: async () => (await Promise.all([...opened.values()].map((store) => store.problems()))).flat(),
    fileOf: async (id) => entries().get(id)?.file,
    async provenance(id) {
      const digest = entries().get(id)?.digest;
      return digest === undefined ? undefined : { digest };
    },
    digestFor: async () => undefined,
    untrusted: async () => [],
    async textsOf(file) {
      const entry = [...entries().values()].find((one) => one.file === file);
      return entry && storeOf(placeOf(entry)).textsOf(file);
    },
    lend,
    watch: () => () => undefined,
    close: async () => void (await Promise.all([...opened.values()].map((store) => store.close()))),
  };
}

/** Returns the name of the file, or of its folder, in the directory. */
function placeOf({ file }: BundledWorkflow): string {
  return file.split('/', 1)[0] ?? file;
}
