import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  EvidenceAnswer,
  EvidenceBaseline,
  EvidenceCollector,
  EvidenceProgress,
  EvidenceRequest,
  EvidenceResult,
} from '@workflowlookup/core/sessions';
import type { CheckEvidence, Evidence } from '@workflowlookup/schema';
import { defined, evidenceKind } from '@workflowlookup/schema';
import type { ProjectChecks } from './checks/project-checks.ts';
import { checksFile, checksPathOf, readProjectChecks } from './checks/project-checks.ts';
import { judgeRun, runCheck, shownFindings } from './checks/run-check.ts';
import type { Judged } from './state-evidence.ts';
import { digestOfFileIn, judgeChanges, judgeFile, judgeGit, uncommittedIn } from './state-evidence.ts';
import { askGitHub } from './checks/github-check-runs.ts';
import { checkReasons, githubReasons, listed } from './messages.ts';
import { reportPatterns } from './reports.ts';
import type { RunningCommand } from './checks/run-command.ts';
import type { Repository } from './tree/repository.ts';
import { openRepository } from './tree/repository.ts';
import type { TreeState } from './tree/tree-state.ts';
import { treeState, watchWrites } from './tree/tree-state.ts';

/** The record of which project checks a person trusts. It is stored outside the projects. */
export interface ChecksTrust {
  /** Returns the version that was trusted last of the file at a path. */
  entry(path: string): Promise<TrustedChecks | undefined>;
  /** Returns how many tests ran when a check was last accepted. */
  acceptedTests(project: string, check: string): number | undefined;
  /** Stores how many tests ran. */
  acceptTests(project: string, check: string, run: number): void;
  /** The command with which a person trusts the checks. */
  readonly command: string;
  /** Returns the command with which a person accepts fewer tests of a check. */
  acceptCommand(check: string): string;
  /** Whether they can also trust them in the console of the server. Default false. */
  readonly hasConsole?: boolean;
}

/** The file of checks that a person trusted. */
export interface TrustedChecks {
  readonly digest: string;
  /** The names of its checks. */
  readonly names: readonly string[];
}

/** Options of {@link createCollector}. */
export interface CollectorOptions {
  readonly folder: string;
  /** A folder of this user for caches and other files that are kept between calls. */
  readonly stateFolder: string;
  /** The environment of the server. Commands get it without secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly trust: ChecksTrust;
  /** Milliseconds between two requests to GitHub about a check run in progress. Default 15,000. */
  readonly pollMs?: number;
}

/** A collector that can be closed. */
export interface LocalCollector extends EvidenceCollector {
  readonly baseline: EvidenceBaseline;
  file(path: string): Promise<string | undefined>;
  /** Ends the running commands. */
  close(): Promise<void>;
}

/** The parts that a collection uses. */
interface Parts extends CollectorOptions {
  repository(): Promise<Repository | undefined>;
  /** Reads the state of the folder, or returns a state that was read at most `maxAgeMs` milliseconds ago. */
  look(maxAgeMs?: number): Promise<Sight>;
  /** Reads the state of the folder as soon as `work` is done, and prepares for it in the meantime. */
  lookAfter(work: Promise<unknown>): Promise<Sight>;
}

/** A collection that is running, or that has ended and whose result no caller has fetched yet. */
interface Job {
  readonly result: Promise<EvidenceResult>;
  readonly cancel: AbortController;
  waiting: number;
  startedMs: number;
  /** ISO 8601. */
  endedAt?: string;
  command?: Pick<RunningCommand, 'lastLine'>;
}

/** Callers get the progress this often, in milliseconds. */
const progressMs = 1000;

/**
 * A state this recent is used as the state before a collection. The result counts only for that state, so a change
 * since then is noticed.
 */
const recentMs = 250;

/** Creates the collector of a folder. Commands run one after the other, because they may use the same files. */
export function createCollector(options: CollectorOptions): LocalCollector {
  const { folder, stateFolder, environment } = options;
  const jobs = new Map<string, Job>();
  let opened: Repository | undefined;
  /** While there is nothing to open, each call tries again. */
  const openIt = async (): Promise<Repository | undefined> =>
    (opened ??= await openRepository({ folder, environment, cacheFolder: join(stateFolder, 'trees') }));
  let seen: { readonly atMs: number; readonly sight: Promise<Sight> } | undefined;
  const parts: Parts = {
    ...options,
    repository: openIt,
    look(maxAgeMs = 0) {
      const nowMs = performance.now();
      if (seen === undefined || nowMs - seen.atMs >= maxAgeMs) seen = { atMs: nowMs, sight: lookAt(parts) };
      return seen.sight;
    },
    async lookAfter(work) {
      const done = work.then(
        () => undefined,
        () => undefined,
      );
      const sight = lookAt(parts, done);
      // It may fail before the caller waits for it.
      sight.catch(() => undefined);
      await done;
      seen = { atMs: performance.now(), sight };
      return sight;
    },
  };
  let last: Promise<unknown> = Promise.resolve();

  const ownPlaces = async (): Promise<readonly string[]> => placesIn(await openIt(), folder);

  function begin({ key, evidence }: EvidenceRequest): Job {
    const cancel = new AbortController();
    // GitHub is asked meanwhile: that runs nothing here.
    const turn = isAtGitHub(evidence) ? Promise.resolve() : last;
    const job: Job = {
      cancel,
      waiting: 0,
      startedMs: performance.now(),
      result: turn.then(() => {
        job.startedMs = performance.now();
        const onStart: Collecting['onStart'] = (command) => (job.command = command);
        return collectOnce(parts, evidence, { signal: cancel.signal, onStart });
      }),
    };
    if (!isAtGitHub(evidence)) last = job.result.catch(() => undefined);
    const end = (): void => void (job.endedAt = new Date().toISOString());
    job.result.then(end, end);
    jobs.set(key, job);
    return job;
  }

  return {
    folder,
    async tree({ maxAgeMs } = {}) {
      const found = await parts.look(maxAgeMs);
      return found.state?.tree;
    },
    file: (path) => digestOfFileIn(folder, path),
    async collect(request) {
      const { key, signal } = request;
      const job = jobs.get(key) ?? begin(request);
      const { endedAt } = job;
      job.waiting += 1;
      try {
        const answer = await within(job, request);
        if (!('result' in answer)) return answer;
        if (jobs.get(key) === job) jobs.delete(key);
        // An agent could take it hours later, and it would look new.
        const isLate = endedAt !== undefined && answer.result.level === 'rerun';
        return isLate ? { result: { ...answer.result, collectedAt: endedAt } } : answer;
      } catch (error) {
        jobs.delete(key);
        throw error;
      } finally {
        job.waiting -= 1;
        if (signal?.aborted === true && job.waiting === 0) job.cancel.abort();
      }
    },
    baseline: {
      async read(check) {
        const [entry, places] = await Promise.all([
          checksPathOf(folder).then((path) => options.trust.entry(path)),
          ownPlaces(),
        ]);
        const tests = acceptedIn(options.trust, places, check);
        return defined({ digest: entry?.digest, tests });
      },
      async accept(check, run) {
        for (const place of await ownPlaces()) options.trust.acceptTests(place, check, run);
      },
      trustCommand: options.trust.command,
    },
    async close() {
      const running = [...jobs.values()];
      for (const { cancel } of running) cancel.abort();
      await Promise.allSettled(running.map(({ result }) => result));
    },
  };
}

/** Waits for the result of a job, at most `waitMs` milliseconds or until the caller leaves. */
async function within(
  job: Job,
  { waitMs, signal, onProgress }: Pick<EvidenceRequest, 'onProgress' | 'signal' | 'waitMs'>,
): Promise<EvidenceAnswer> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const leftMs = untilMs - performance.now();
    const stepMs = Math.max(0, Math.min(leftMs, progressMs));
    const result = await atMost(job.result, stepMs, signal);
    if (result !== undefined) return { result };
    const progress = progressOf(job);
    if (leftMs <= stepMs || signal?.aborted === true) return { running: progress };
    onProgress?.(progress);
  }
}

function progressOf({ startedMs, command }: Job): EvidenceProgress {
  return { elapsedMs: Math.round(performance.now() - startedMs), lastLine: command?.lastLine() ?? '' };
}

function atMost<Value>(
  work: Promise<Value>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => finish(() => resolve(undefined));
    const timer = setTimeout(stop, ms);
    const finish = (how: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      how();
    };
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    work.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

/** What was read about the folder: its checks, its repository and the state of its files. */
interface Sight {
  readonly project: ProjectChecks | undefined;
  readonly repository: Repository | undefined;
  readonly state: TreeState | undefined;
  /** The address of the repository on a known web host. */
  readonly address: string | undefined;
}

/** Reads the checks of the folder and the state of its files, except for the reports that trusted checks write. */
async function lookAt({ folder, trust, repository: open }: Parts, after?: Promise<unknown>): Promise<Sight> {
  const reading = (after ?? Promise.resolve()).then(() => readProjectChecks(folder));
  const reports = reading.then(async (found) => {
    const isTrusted = found !== undefined && (await trust.entry(found.path))?.digest === found.digest;
    const checks = isTrusted ? Object.values(found.checks?.checks ?? {}) : [];
    return checks.flatMap(({ reports: list = [] }) => reportPatterns(list));
  });
  const looking = open().then(async (repository) => {
    if (repository === undefined) return { repository, state: undefined, address: undefined };
    const [state, address] = await Promise.all([
      treeState(repository, { reports, after }),
      repository.webAddress(),
    ]);
    return { repository, state, address };
  });
  const [project, seen] = await Promise.all([reading, looking, reports]);
  return { project, ...seen };
}

async function collectOnce(
  options: Parts,
  evidence: Evidence,
  { signal, onStart }: Omit<Collecting, 'before'>,
): Promise<EvidenceResult> {
  const before = await options.look(recentMs);
  const { address } = before;
  const common = {
    kind: evidenceKind(evidence),
    level: 'rerun',
    ...(address === undefined ? {} : { repository: address }),
    ...(before.state === undefined ? {} : { commit: before.state.commit, tree: before.state.tree }),
  } as const;
  const uncommitted = evidence.at === 'commit' ? judgeCommitted(before) : [];
  if (isAtGitHub(evidence)) {
    const found = await collectAtGitHub(options, evidence, { before, signal, onStart });
    return concluded({ ...common, ...found }, []);
  }
  if ('check' in evidence) {
    const found = await collectCheck(options, evidence, { before, signal, onStart });
    return concluded({ ...common, ...found }, uncommitted);
  }
  return concluded({ ...common, ...(await judgeState(options, evidence, before)) }, uncommitted);
}

/** Returns why files do not equal the last commit. An agent can move the repository away. */
function judgeCommitted({ state }: Sight): readonly string[] {
  return state === undefined ? [checkReasons.noRepository()] : uncommittedIn(state);
}

type Unjudged = Omit<EvidenceResult, 'outcome'> & Partial<Pick<EvidenceResult, 'outcome'>>;

function concluded(found: Unjudged, more: readonly string[]): EvidenceResult {
  const reasons = [...new Set([...found.reasons, ...more])];
  const outcome = found.outcome ?? (reasons.length === 0 ? 'passed' : 'failed');
  return { ...found, outcome, reasons };
}

async function judgeState(
  { folder }: CollectorOptions,
  evidence: Exclude<Evidence, CheckEvidence>,
  { repository, state }: Sight,
): Promise<Judged> {
  if ('file' in evidence) return judgeFile(evidence, folder, { repository, state });
  if (repository === undefined || state === undefined) return { reasons: [checkReasons.noRepository()] };
  return 'git' in evidence
    ? judgeGit(evidence, { repository, state })
    : judgeChanges(evidence, { repository, state });
}

type GitHubEvidence = CheckEvidence & Required<Pick<CheckEvidence, 'github'>>;

/** Returns whether the evidence must come from GitHub. */
function isAtGitHub(evidence: Evidence): evidence is GitHubEvidence {
  return 'check' in evidence && evidence.level === 'ci' && evidence.github !== undefined;
}

/** A collection that runs. */
interface Collecting {
  /** What was read about the folder before the collection. */
  readonly before: Sight;
  readonly signal: AbortSignal;
  readonly onStart: (command: Pick<RunningCommand, 'lastLine'>) => void;
}

/** How often GitHub is polled while a check run is in progress, and for how long. */
const defaultPollMs = 15_000;
const maxPollMs = 60 * 60_000;

/** Asks GitHub for the check runs of the commit, until they have ended. */
async function collectAtGitHub(
  { folder, environment, trust, pollMs = defaultPollMs }: Parts,
  evidence: GitHubEvidence,
  { before: { project, state }, signal, onStart }: Collecting,
): Promise<FoundByCheck> {
  const found = { check: evidence.check, level: 'ci', by: 'github' } as const;
  const entry = await trust.entry(await checksPathOf(folder));
  const repository = project?.checks?.github?.repository;
  // Without this check, an agent could name a repository of its own.
  if (project !== undefined && project.digest !== entry?.digest)
    return { ...found, reasons: [checkReasons.untrusted(trust)] };
  if (repository === undefined) return { ...found, reasons: [githubReasons.noRepository()] };
  if (state === undefined) return { ...found, reasons: [checkReasons.noRepository()] };
  const { commit } = state;
  const uncommitted = uncommittedIn(state);
  if (uncommitted.length > 0) return { ...found, reasons: uncommitted };
  let line = '';
  onStart({ lastLine: () => line });
  const request = { repository, commit, name: evidence.github.check, environment, signal };
  const untilMs = performance.now() + maxPollMs;
  for (;;) {
    const answer = await askGitHub(request);
    if (signal.aborted) return { ...found, reasons: [checkReasons.cancelled()] };
    if ('reasons' in answer) {
      const counts = evidence.tests ?? evidence.min ?? evidence.coverage;
      const uncounted = counts === undefined ? [] : [githubReasons.noCounts()];
      return { ...found, reasons: [...answer.reasons, ...uncounted] };
    }
    if (performance.now() > untilMs) return { ...found, reasons: [answer.pending] };
    line = answer.pending;
    await pause(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

type FoundByCheck = Partial<EvidenceResult> & Pick<EvidenceResult, 'reasons'>;

async function collectCheck(
  options: Parts,
  evidence: CheckEvidence,
  { before, signal, onStart }: Collecting,
): Promise<FoundByCheck> {
  const { folder, environment, trust } = options;
  const name = evidence.check;
  const usable = await trustedCheck(options, name, before);
  if ('reasons' in usable) return { check: name, ...usable };
  const { repository, state } = before;
  if (repository === undefined || state === undefined)
    return { check: name, reasons: [checkReasons.noRepository()] };
  const [places, writes] = await Promise.all([placesIn(repository, folder), watchWrites(repository, state)]);
  let looking: Promise<Sight> | undefined;
  try {
    const found = await runCheck({
      name,
      check: usable.check,
      folder,
      root: repository.root,
      environment,
      signal,
      onStart(command) {
        onStart(command);
        looking = options.lookAfter(command.result);
      },
    });
    const accepted = acceptedIn(trust, places, name);
    const testsBefore =
      accepted === undefined ? undefined : { run: accepted, acceptWith: trust.acceptCommand(name) };
    const after = await (looking ?? options.look());
    const reasons = [...judgeRun(found, evidence, testsBefore), ...judgeMoves(before, after)];
    const touched = after.state === undefined ? [] : await writes.touched(after.state);
    if (reasons.length === 0 && found.tests !== undefined) {
      const most = Math.max(found.tests.run, accepted ?? 0);
      for (const place of places) trust.acceptTests(place, name, most);
    }
    return {
      ...shownFindings(found),
      reasons,
      ...(accepted === undefined ? {} : { testsBefore: accepted }),
      ...(touched.length === 0 ? {} : { touched: listed(touched) }),
    };
  } finally {
    await writes.close();
  }
}

/** Returns why a check does not count if its files or its definition changed while it ran. */
function judgeMoves(before: Sight, after: Sight): readonly string[] {
  if (after.state?.tree !== before.state?.tree)
    return [checkReasons.filesChanged(listed(differing(before.state, after.state)))];
  return after.project?.digest === before.project?.digest ? [] : [checkReasons.filesChanged([checksFile])];
}

function acceptedIn(trust: ChecksTrust, places: readonly string[], check: string): number | undefined {
  const counts = places.flatMap((place) => trust.acceptedTests(place, check) ?? []);
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/**
 * Returns the names under which test counts of a project are stored: its repository, which all its work trees share,
 * and its folder, which stays the same if an agent moves the repository. Without git, both are absent.
 */
async function placesIn(repository: Repository | undefined, folder: string): Promise<readonly string[]> {
  if (repository === undefined) return [];
  return [[repository.common, repository.prefix].join('\n'), await checksPathOf(folder)];
}

/** Like `placesIn`, but opens the repository of a folder. */
export async function placesOf(
  options: Pick<CollectorOptions, 'environment' | 'folder' | 'stateFolder'>,
): Promise<readonly string[]> {
  const { folder, stateFolder, environment } = options;
  return placesIn(
    await openRepository({ folder, environment, cacheFolder: join(stateFolder, 'trees') }),
    folder,
  );
}

function differing(before: TreeState | undefined, after: TreeState | undefined): readonly string[] {
  if (before === undefined || after === undefined) return ['.git'];
  const [one, other] = [new Set(before.changed), new Set(after.changed)];
  const paths = [...one, ...other].filter((path) => !(one.has(path) && other.has(path)));
  if (paths.length > 0) return paths;
  // The same files differ, or none do. If none do, only the commit has changed.
  return other.size > 0 ? [...other] : ['HEAD'];
}

/** Returns a check that a person trusted, or why it is not run. */
async function trustedCheck(
  { folder, trust }: CollectorOptions,
  name: string,
  { project, repository }: Sight,
): Promise<
  | { readonly check: NonNullable<ProjectChecks['checks']>['checks'][string] }
  | Pick<FoundByCheck, 'outcome' | 'reasons'>
> {
  const entry = await trust.entry(await checksPathOf(folder));
  if (project === undefined) {
    // An agent can move the folder, and put a link in its place.
    const entries = [entry, await trust.entry(join(folder, checksFile))].filter((one) => one !== undefined);
    const isTrusted = entries.some(({ names }) => names.includes(name));
    if (isTrusted || (entries.length === 0 && (await hadChecks(repository))))
      return { reasons: [checkReasons.fileRemoved()] };
    return { outcome: 'not-configured', reasons: [checkReasons.notConfigured(name)] };
  }
  if (project.digest !== entry?.digest)
    return {
      reasons: [entry === undefined ? checkReasons.untrusted(trust) : checkReasons.changed(trust)],
    };
  if (project.checks === undefined) return { reasons: [checkReasons.invalid(project.problem ?? '')] };
  const checks = project.checks.checks;
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check !== undefined) return { check };
  return { outcome: 'not-configured', reasons: [checkReasons.notConfigured(name)] };
}

/**
 * Returns whether an earlier commit changed the file of checks. If the file is missing now, an agent may have deleted
 * it.
 */
async function hadChecks(repository: Repository | undefined): Promise<boolean> {
  if (repository === undefined) return false;
  const head = await repository.head();
  if (head === undefined) return false;
  const path = [repository.prefix, checksFile].filter((part) => part !== '').join('/');
  // Without `--full-history`, git leaves out one side of a merge.
  const { stdout } = await repository.run(['log', '-1', '--full-history', '--format=%H', head, '--', path]);
  return stdout.trim() !== '';
}
