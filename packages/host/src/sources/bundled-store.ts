// A file of its own, so that a list of the bundled workflows does not load the code that reads definitions.
import type { FilesStore, FilesStoreOptions } from '@workflowlookup/storage/files';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { BundledWorkflow } from './sources.ts';
import { summaryOf } from './sources.ts';

interface BundledStoreOptions extends Pick<FilesStoreOptions, 'directory' | 'read' | 'readFolder'> {
  /** Called once, on first use. */
  catalogue(): readonly BundledWorkflow[];
}

/**
 * The bundled workflows: listed by their catalogue, and each read when it is asked for, with what it borrows from. They
 * are part of what is installed, so nothing is watched.
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
    list: async () => [...entries().values()].map(summaryOf),
    async get(id) {
      const entry = entries().get(id);
      return entry && storeOf(placeOf(entry)).get(id);
    },
    /** The problems of those that were read, because an installation may be damaged. */
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

/** The file, or the folder it lies in, by its name in the directory. */
function placeOf({ file }: BundledWorkflow): string {
  return file.split('/', 1)[0] ?? file;
}
