import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import type { FilesStore, FilesStoreOptions } from '@workflowlookup/storage/files';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { SourceOptions } from './sources.ts';
import { bundledSource, sourcesOf } from './sources.ts';

/** Where the bundled workflows are installed. */
export function bundledDirectory(): string {
  return join(installed(), 'definitions');
}

/** The file that says what the bundled workflows are. */
function bundledCatalogueFile(): string {
  return join(installed(), 'catalogue.json');
}

/** Whether a file is one of the package of the bundled workflows: its definitions, its catalogue or its `package.json`. */
export function isOfBundledPackage(path: string): boolean {
  const beside = [bundledCatalogueFile(), join(installed(), 'package.json')];
  return path.startsWith(bundledDirectory() + sep) || beside.includes(path);
}

function installed(): string {
  return dirname(fileURLToPath(import.meta.resolve('@workflowlookup/workflows/package.json')));
}

/** The summary of a bundled workflow, as read from its definition. */
export interface BundledWorkflow extends WorkflowSummary {
  readonly kind: Workflow['kind'];
  readonly digest: string;
  /** The file that serves it, from the directory of the bundled workflows. */
  readonly file: string;
}

/**
 * The bundled workflows, sorted by id. What is installed never changes, so what its definitions say was read when they
 * were packed: nobody waits for a dozen of them who needs one or none. A test holds the list against the definitions.
 */
export function bundledCatalogue(): readonly BundledWorkflow[] {
  return JSON.parse(readFileSync(bundledCatalogueFile(), 'utf8')) as readonly BundledWorkflow[];
}

function summaryOf({ id, name, description, category, version, tags }: BundledWorkflow): WorkflowSummary {
  return { id, name, description, category, version, tags };
}

/**
 * What is served where no source but that of the bundled workflows has anything in it: then nothing has to be read, and
 * no engine loaded, to say so. `undefined` where there is more to look at.
 */
export function bundledAlone(options: SourceOptions): readonly BundledWorkflow[] | undefined {
  const sources = sourcesOf(options, bundledDirectory());
  const others = sources.filter(({ name }) => name !== bundledSource);
  if (!others.every(({ directory }) => isEmpty(directory))) return undefined;
  return others.length === sources.length ? [] : bundledCatalogue();
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch (error) {
    // Other errors are reported when the directory is read.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

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
    /** What is wrong with those that were read: an installation may be damaged. */
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
