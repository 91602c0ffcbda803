import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DefinedWorkflow, Engine, Workflows } from '@workflowlookup/core';
import { createEngine, readDefinition, readWorkflowFolder } from '@workflowlookup/core';
import type { Operator, OperatorParts } from '@workflowlookup/core/operator';
import { createOperator } from '@workflowlookup/core/operator';
import type {
  Caller,
  SessionPolicy,
  SessionStorage,
  Sessions,
  StatementReader,
} from '@workflowlookup/core/sessions';
import { checkOptions, createSessionsOf, definedSource, workflowsOver } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import type { LocalCollector } from '@workflowlookup/evidence';
import type { Workflow } from '@workflowlookup/schema';
import { trustCommand, idInCommand } from '@workflowlookup/schema';
import type { UntrustedDefinition } from '@workflowlookup/storage';
import { createCachedStore } from '@workflowlookup/storage/cached';
import type { FilesStore } from '@workflowlookup/storage/files';
import { createFilesStore, digestOfTexts } from '@workflowlookup/storage/files';
import type { Layer, LayeredStore } from '@workflowlookup/storage/layered';
import { createLayeredStore } from '@workflowlookup/storage/layered';
import { createAnchor, openAuditLog, auditedOperator, auditedTrust, auditedListeners } from './audit.ts';
import type { AuditLog } from './audit.ts';
import { bundledCatalogue, bundledDirectory, isOfBundledPackage } from './bundled.ts';
import { commandForPerson } from './flags.ts';
import { readHookActs } from './hook-acts.ts';
import type { HostJobs } from './jobs/create-jobs.ts';
import { createJobs } from './jobs/create-jobs.ts';
import type { AccessDatabase } from './lazy-storage.ts';
import { createLazyStorage } from './lazy-storage.ts';
import type { SessionOptions } from './options.ts';
import { expandHome, placeName, stateDirectoryOf, userName } from './options.ts';
import { bundledSource, lendFrom, sourcesOf } from './sources/sources.ts';
import { createBundledStore } from './sources/bundled-store.ts';
import type { Drafts } from './sources/drafts.ts';
import { createDrafts } from './sources/drafts.ts';
import { openSavedVersions } from './sources/saved-versions.ts';
import type { FolderLender, Source, SourceOptions } from './sources/sources.ts';
import type { ChecksReviews, Reviews } from './trust/review.ts';
import { createChecksReviews, createReviews } from './trust/review.ts';
import { acceptTestsCommand, trustChecksCommand } from './trust/trust-file.ts';
import type { Trust } from './trust/trust.ts';
import { openTrust } from './trust/trust.ts';

/** Options of `createHost`. */
export interface HostOptions extends SourceOptions, SessionOptions {
  /** Workflows defined by the program. They replace workflows of the same id in every directory. */
  readonly definitions?: readonly (DefinedWorkflow | Workflow)[];
  /**
   * Whether to collect evidence in the working folder, with commands that a person trusted. Only for servers that run
   * on the machine of their user. Default false.
   */
  readonly evidence?: boolean;
  /** Whether the server has a console, in which a person can also trust checks. Default false. */
  readonly hasConsole?: boolean;
}

/** A running engine, its sessions, and where its definitions come from. */
export interface Host {
  readonly engine: Engine;
  /** The sessions of the local user. The database opens with the first call. */
  readonly sessions: Sessions;
  /** Returns the sessions of another caller. Calling it is cheap. */
  sessionsOf(caller: Caller): Sessions;
  /** The operator for the user of this process. */
  readonly operator: Operator;
  /** Returns an operator for another person, limited to one principal if `principal` is given. Calling it is cheap. */
  operatorOf(
    who: Partial<Pick<OperatorParts, 'person' | 'principal' | 'channel' | 'credential' | 'indexWaitMs'>>,
  ): Operator;
  /** The name of the user of this process, or the one the options give. */
  readonly person: string;
  /** Opens the database and the keys. Later calls return the same vault. @throws STORE_UNAVAILABLE */
  vault(): Promise<SessionStorage>;
  /**
   * Returns the keys that sign tokens, and makes them in the state directory first if there are none. Unlike `vault`, it
   * does not check whether the other servers of a database have the same keys. @throws KEYS_UNUSABLE
   */
  keys(): KeyRing;
  /** Where sessions are stored, and whether any exist. Reading this creates nothing. */
  readonly state: {
    readonly directory: string;
    /** The state directory or the address of the database, for messages. It contains no user and no password. */
    readonly place: string;
    isMade(): boolean;
  };
  /** The store of API keys and ended sessions, for `openApiKeys`. */
  readonly access: AccessDatabase;
  /** Records who did what; without `audit` in the options it records nothing. */
  readonly audit: AuditLog;
  /** The sources of definitions, lowest precedence first. */
  readonly sources: readonly Source[];
  /** Tells which source serves a workflow, and which definitions are untrusted. */
  readonly definitions: Pick<LayeredStore, 'origin' | 'sources' | 'untrusted'>;
  /** The trust of a person in the definitions of projects. */
  readonly trust: Trust;
  /** The reviews that a person reads before they trust a definition. */
  readonly reviews: Reviews;
  /** The reviews that a person reads before they trust the checks of a project. */
  readonly checks: ChecksReviews;
  /** Reads, checks and saves files of the sources. */
  readonly drafts: Drafts;
  /** Runs slow work in threads, so that other requests do not wait for it. */
  readonly jobs: HostJobs;
  /** Writes pending data and closes files and watchers. */
  close(): Promise<void>;
}

/**
 * Creates a host for the directories that the options name. Nothing is read or written before the first call.
 *
 * @example
 * ```ts
 * const host = createHost({ directories: ['./workflows'], stateDirectory: './state' });
 * const { workflows } = await host.engine.list();
 * await host.close();
 * ```
 */
export function createHost(options: HostOptions = {}): Host {
  const sources = sourcesOf(options, bundledDirectory());
  const directory = stateDirectoryOf(options);
  const audit = openAuditLog(options);
  const opened = openTrust({
    stateDirectory: directory,
    environment: options.environment ?? {},
    workingDirectory: options.workingDirectory ?? process.cwd(),
    trustProject: options.trustProject === true,
    trustChecksWith: {
      command: trustingCommand(trustChecksCommand, options),
      acceptCommand: acceptWith(options),
      hasConsole: options.hasConsole === true,
    },
  });
  const trust = auditedTrust(opened, audit);
  const layers = createLayers(sources, trust);
  const own = options.definitions ?? [];
  const ownLayer = own.length === 0 ? [] : [{ name: 'program', store: definedSource(own) }];
  const definitions = withTrust(createLayeredStore([...layers, ...ownLayer]), { sources, trust, options });
  const workflows = createCachedStore(definitions);
  const vault = createLazyStorage({ ...options, stateDirectory: directory });
  const policy = policyOf(options);
  const jobs = createJobs();
  const anchor =
    options.anchor === undefined
      ? undefined
      : createAnchor({
          place: options.anchor,
          workingDirectory: options.workingDirectory ?? process.cwd(),
          store: vault.store,
        });
  const person = options.person ?? userName();
  const telling = { ...auditedListeners(options, audit), ...(anchor && { onHead: anchor.write }) };
  const evidence = options.evidence === true ? evidenceOf(options, { directory, trust }) : undefined;
  const statements = statementsOf(options);
  const operatorOf: Host['operatorOf'] = (who) => {
    const operator = createOperator({
      store: vault.store,
      policy,
      jobs,
      evidence,
      hookActs: () => readHookActs(directory),
      statements,
      ...telling,
      person,
      ...who,
    });
    return auditedOperator(operator, audit, { person: who.person ?? person });
  };
  const sessionsOf = createSessionsOf({
    workflows,
    vault: vault.open,
    policy,
    jobs,
    evidence,
    statements,
    ...telling,
    ...(options.beforeStart && { beforeStart: options.beforeStart }),
  });
  return {
    engine: createEngine({ workflows, jobs }),
    sessions: sessionsOf({ principal: 'local', project: options.workingDirectory ?? process.cwd() }),
    sessionsOf,
    operator: operatorOf({ channel: 'command-line' }),
    operatorOf,
    person,
    vault: vault.open,
    keys: vault.keys,
    state: { directory, place: placeName(options, directory), isMade: vault.access.isMade },
    access: { ...vault.access, audit },
    audit,
    sources,
    definitions,
    trust,
    reviews: createReviews(layers, { jobs, trust }),
    checks: createChecksReviews(trust, evidence?.folder),
    drafts: createDrafts(layers, { jobs, trust, saved: openSavedVersions(directory) }),
    jobs,
    async close() {
      await Promise.all([anchor?.close(), evidence?.close()]);
      await Promise.all([vault.close(), workflows.close(), audit.close(), jobs.close()]);
    },
  };
}

/** Creates the collector of the working folder. It is loaded when a session first asks for evidence. */
function evidenceOf(
  { workingDirectory = process.cwd(), environment = {} }: HostOptions,
  { directory, trust }: { readonly directory: string; readonly trust: Trust },
): LocalCollector {
  let opening: Promise<LocalCollector> | undefined;
  const open = (): Promise<LocalCollector> =>
    (opening ??= import('@workflowlookup/evidence').then(({ createCollector }) =>
      createCollector({
        folder: workingDirectory,
        stateFolder: directory,
        environment,
        trust: trust.checks,
      }),
    ));
  return {
    folder: workingDirectory,
    tree: async (options) => (await open()).tree(options),
    file: async (path) => (await open()).file(path),
    collect: async (request) => (await open()).collect(request),
    close: async () => (await opening)?.close(),
    baseline: {
      read: async (check) => (await open()).baseline.read(check),
      accept: async (check, run) => (await open()).baseline.accept(check, run),
      trustCommand: trust.checks.command,
    },
  };
}

/** Creates the reader of signed statements. The keys are read with the first one. */
function statementsOf(options: HostOptions): StatementReader {
  const { trustedKeys = [], workingDirectory, homeDirectory } = options;
  let opening: Promise<StatementReader> | undefined;
  const open = async (): Promise<StatementReader> => {
    const { createStatementReader, readTrustedKey } = await import('@workflowlookup/evidence');
    return createStatementReader(
      () =>
        Promise.all(
          trustedKeys.map(({ name, file }) =>
            readTrustedKey(
              name,
              resolve(workingDirectory ?? process.cwd(), expandHome(file, homeDirectory ?? homedir())),
            ),
          ),
        ),
      acceptWith(options),
    );
  };
  return { read: async (source) => (await (opening ??= open())).read(source) };
}

/**
 * Adds to each untrusted definition whether an older version was trusted, and the command with which a person trusts
 * it.
 */
function withTrust(
  store: LayeredStore,
  how: { readonly sources: readonly Source[]; readonly trust: Trust; readonly options: HostOptions },
): LayeredStore {
  const { sources, trust, options } = how;
  const hasChanged = ({ source, file, reason }: UntrustedDefinition): boolean => {
    const { directory } = sources.find(({ name }) => name === source) ?? {};
    return reason === 'untrusted' && directory !== undefined && trust.wasTrusted({ directory, file });
  };
  const trustWith = trustingCommand(trustCommand, options);
  return {
    ...store,
    untrusted: async () =>
      (await store.untrusted()).map((one) => ({
        ...one,
        ...(hasChanged(one) && { reason: 'changed' as const }),
        trustWith,
      })),
  };
}

function acceptWith(options: HostOptions): (check: string) => string {
  return (check) => trustingCommand(acceptTestsCommand(check), options);
}

/**
 * Returns a command with which a person trusts something. It does not name the database, because trust is always stored
 * in the state directory.
 */
function trustingCommand(command: string, options: HostOptions): string {
  const { database: _database, ...place } = options;
  return commandForPerson(command, place);
}

type SourceLayer = Source & Layer & FolderLender & { readonly store: FilesStore };

function createLayers(sources: readonly Source[], trust: Trust): readonly SourceLayer[] {
  const readers = { read: readDefinition, readFolder: readWorkflowFolder };
  const layers: SourceLayer[] = sources.map((source): SourceLayer => {
    const { name, directory } = source;
    if (name === bundledSource) {
      return { ...source, store: createBundledStore({ directory, ...readers, catalogue: bundledCatalogue }) };
    }
    const store = createFilesStore({
      directory,
      ...readers,
      borrow: (workflow) =>
        lendFrom(
          layers.filter((layer) => layer.directory !== directory),
          workflow,
        ),
      ...(source.isProject && { admission: trust.admission(source) }),
    });
    return source.isProject ? { ...source, ...projectLayer(source, store, trust) } : { ...source, store };
  });
  return layers;
}

/** Makes the layer of a project. Its definitions replace those of other layers only if a person agreed to that. */
function projectLayer(
  { directory }: Source,
  store: FilesStore,
  trust: Trust,
): Pick<SourceLayer, 'mayLendInPlace' | 'mayReplace' | 'store'> {
  // The package of the bundled workflows may lie in the project itself, as in this repository, and needs no trust.
  const isOwn = ({ file }: UntrustedDefinition): boolean => !isOfBundledPackage(join(directory, file));
  return {
    store: { ...store, untrusted: async () => (await store.untrusted()).filter(isOwn) },
    async mayReplace(id) {
      const { digest } = (await store.digestFor(id)) ?? {};
      return digest !== undefined && trust.mayReplace(directory, id, digest);
    },
    mayLendInPlace: (workflow, folder) => trust.mayReplace(directory, workflow, digestOfTexts(folder)),
  };
}

/**
 * Loads workflows and stores their sessions in the files of a state directory or in Postgres, so that sessions outlive
 * the program. It serves the workflows of `definitions` and `directories`; others, such as the bundled ones, only if an
 * option includes them. Nothing is read or written before the first call.
 *
 * @example
 * ```ts
 * const workflows = createWorkflows({ directories: ['./workflows'], stateDirectory: './state' });
 * const session = await workflows.start('release', { agent: 'ci' });
 * ```
 *
 * @throws WorkflowError `INVALID_INPUT` for an option that does not exist
 */
export function createWorkflows(options: HostOptions = {}): Workflows {
  checkOptions(options, optionNames);
  const { engine, sessions, operatorOf, close } = createHost({
    includeBundled: false,
    includeUser: false,
    includeProject: false,
    enforcement: 'strict',
    minResponseMs: 0,
    ...options,
  });
  return workflowsOver({
    engine,
    sessions,
    operatorOf: (person) => operatorOf({ person, principal: 'local', channel: 'library' }),
    close,
  });
}

const optionNames: Readonly<Record<keyof HostOptions, true>> = {
  definitions: true,
  includeBundled: true,
  includeUser: true,
  includeProject: true,
  storagePaths: true,
  directories: true,
  writable: true,
  trustProject: true,
  workingDirectory: true,
  homeDirectory: true,
  onWrite: true,
  beforeStart: true,
  stateDirectory: true,
  database: true,
  anchor: true,
  tokens: true,
  wrapStore: true,
  person: true,
  audit: true,
  onAuditChange: true,
  environment: true,
  trustedKeys: true,
  enforcement: true,
  minResponseMs: true,
  gates: true,
  autonomy: true,
  trustElicitation: true,
  humanAnswersWith: true,
  humanEndsWith: true,
  evidence: true,
  hasConsole: true,
};

export function policyOf(options: HostOptions): SessionPolicy {
  const { enforcement = 'advisory', minResponseMs = 3000, gates = 'declared', autonomy = 'ask' } = options;
  const command = (name: string) => (sid: string) =>
    commandForPerson(`workflowlookup sessions ${name} ${idInCommand(sid)}`, options);
  const { humanAnswersWith = command('respond'), humanEndsWith = command('abandon') } = options;
  const { trustElicitation = false } = options;
  return { enforcement, minResponseMs, gates, autonomy, trustElicitation, humanAnswersWith, humanEndsWith };
}
