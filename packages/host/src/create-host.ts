import type { Caller, Engine, Operator, OperatorParts, Sessions, SessionVault } from '@workflowlookup/core';
import {
  createEngine,
  createOperator,
  createSessionsOf,
  readDefinition,
  readWorkflowFolder,
} from '@workflowlookup/core';
import { createCachedStore } from '@workflowlookup/storage/cached';
import type { Folder } from '@workflowlookup/schema';
import type { FilesStore } from '@workflowlookup/storage/files';
import { createFilesStore } from '@workflowlookup/storage/files';
import type { Layer, LayeredStore } from '@workflowlookup/storage/layered';
import { createLayeredStore } from '@workflowlookup/storage/layered';
import type { AccessPlace } from './access-place.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { openAuditLog } from './audit/open-audit-log.ts';
import { bundledCatalogue } from './bundled/bundled-catalogue.ts';
import { bundledDirectory } from './bundled/bundled-directory.ts';
import { createBundledStore } from './bundled/bundled-store.ts';
import type { Drafts } from './drafts/drafts.ts';
import { createDrafts } from './drafts/create-drafts.ts';
import { lendFrom } from './lend-from.ts';
import type { SessionOptions } from './session-options.ts';
import { placeName, policyOf, stateDirectoryOf } from './session-options.ts';
import type { Source, SourceOptions } from './sources.ts';
import { bundledSource, sourcesOf } from './sources.ts';
import { userName } from './user-name.ts';
import { createLazyVault } from './vault.ts';

/** What the options of an app come to. */
export interface HostOptions extends SourceOptions, SessionOptions {}

/** A running engine, its sessions, and where its definitions come from. */
export interface Host {
  readonly engine: Engine;
  /** Of the one user of this machine; their database opens with the first session call. */
  readonly sessions: Sessions;
  /** Those of another caller; cheap. */
  sessionsOf(caller: Caller): Sessions;
  /** What the user of this process can do with the sessions that are kept here. */
  readonly operator: Operator;
  /** The same for another person, over the sessions of one principal alone where that is said; cheap. */
  operatorOf(who: Partial<Pick<OperatorParts, 'person' | 'principal'>>): Operator;
  /** The name of the user of this process, or the one the options give. */
  readonly person: string;
  /** Opens the database and the keys; called again it gives the same. @throws STORAGE */
  vault(): Promise<SessionVault>;
  /** Where they are kept, and whether there are any yet; asking makes nothing. */
  readonly state: {
    readonly directory: string;
    /** The state directory or the database, as messages name it: without user and password. */
    readonly place: string;
    isMade(): boolean;
  };
  /** Where API keys and ended sessions are kept: what `openApiKeys` and `openRevokedIds` take. */
  readonly access: AccessPlace;
  /** Records who did what; without `audit` in the options it records nothing. */
  readonly audit: AuditLog;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  /** Which source serves what. */
  readonly definitions: Pick<LayeredStore, 'origin' | 'sources'>;
  /** The files of the sources, to be read, judged and saved. */
  readonly drafts: Drafts;
  /** Writes what was left behind and lets files and watchers go. */
  close(): Promise<void>;
}

/** Wires an engine over the directories the options name. Nothing is read or written before the first call. */
export function createHost(options: HostOptions = {}): Host {
  const sources = sourcesOf(options, bundledDirectory());
  const layers = createLayers(sources);
  const definitions = createLayeredStore(layers);
  const workflows = createCachedStore(definitions);
  const directory = stateDirectoryOf(options);
  const vault = createLazyVault({ ...options, stateDirectory: directory });
  const policy = policyOf(options);
  const { onWrite } = options;
  const telling = onWrite === undefined ? {} : { onWrite };
  const person = options.person ?? userName();
  const audit = openAuditLog(options);
  const operatorOf: Host['operatorOf'] = (who) =>
    createOperator({ store: vault.store, policy, ...telling, person, ...who });
  const { beforeStart } = options;
  const asking = beforeStart === undefined ? {} : { beforeStart };
  const sessionsOf = createSessionsOf({ workflows, vault: vault.open, policy, ...telling, ...asking });
  return {
    engine: createEngine({ workflows }),
    sessions: sessionsOf({ principal: 'local', project: options.workingDirectory ?? process.cwd() }),
    sessionsOf,
    operator: operatorOf({}),
    operatorOf,
    person,
    vault: vault.open,
    state: { directory, place: placeName(options, directory), isMade: vault.access.isMade },
    access: vault.access,
    audit,
    sources,
    definitions,
    drafts: createDrafts(layers),
    close: async () => void (await Promise.all([vault.close(), workflows.close(), audit.close()])),
  };
}

function createLayers(
  sources: readonly Source[],
): readonly (Source & Layer & { readonly store: FilesStore })[] {
  const readers = { read: readDefinition, readFolder: readWorkflowFolder };
  const layers: (Source & Layer & { readonly store: FilesStore })[] = sources.map((source) => {
    const { name, directory } = source;
    if (name === bundledSource) {
      return { ...source, store: createBundledStore({ directory, ...readers, catalogue: bundledCatalogue }) };
    }
    const borrow = (workflow: string): Promise<Folder | undefined> => lendFrom(others(), workflow);
    const store = createFilesStore({ directory, ...readers, borrow });
    const others = (): readonly FilesStore[] =>
      layers.flatMap((layer) => (layer.store === store ? [] : layer.store));
    return { ...source, store };
  });
  return layers;
}
