import type { Outline, OutlinedStep } from '@workflowlookup/diagrams';
import { outlineOf } from '@workflowlookup/diagrams';
import type { Folder, HiddenCharacter, Issue } from '@workflowlookup/schema';
import { hiddenPlaces, WorkflowError } from '@workflowlookup/schema';
import type { UntrustedDefinition } from '@workflowlookup/storage';
import type { DefinitionTexts, FilesStore } from '@workflowlookup/storage/files';
import { digestOfTexts } from '@workflowlookup/storage/files';
import type { HostJobs } from '../jobs/create-jobs.ts';
import type { FolderLender, Source } from '../sources/sources.ts';
import { lendFrom } from '../sources/sources.ts';
import type { Trust } from './trust.ts';
import { dirname } from 'node:path';
import type { ProjectChecks } from '@workflowlookup/evidence';
import { trustMessages } from '../messages.ts';
import type { TrustedChecksFile } from './trust-file.ts';

/** A line that looks like a shell command. */
export interface NamedCommand {
  /** Counted from 1. */
  readonly line: number;
  /** At most 200 characters of the line. */
  readonly text: string;
}

/** Programs whose name followed by another word counts as a command. */
const programs =
  'apt|apt-get|aws|az|bash|brew|cargo|chmod|chown|crontab|curl|deno|docker|dotnet|gcloud|gh|git|helm|iex|kubectl|launchctl|mkfifo|nc|ncat|npm|npx|openssl|osascript|perl|php|pip|pip3|pipx|pnpm|podman|powershell|psql|pwsh|python3|rm|rsync|scp|socat|sqlite3|ssh|sudo|systemctl|terraform|uvx|wget|xargs|yarn|zsh';

/** Programs whose name is also an English word. They count as a command only if what follows looks like an argument. */
const words = 'cat|cp|dd|env|eval|exec|export|find|go|kill|make|mv|node|python|ruby|sed|sh|source|tar|tee|uv';

const commandPattern = `(?:(?:${programs})\\s+\\S|(?:${words})\\s+[-./~$"'<]|\\./\\S)`;
const atStart = new RegExp(`^(?:[$>#%]\\s+)?${commandPattern}`);
const inSpan = new RegExp(`^${commandPattern}|\\|\\s*\\w*sh\\b|&&|\\$\\(`);
const anywhere =
  /\b(?:curl|wget)\b[^\n|]{0,1000}\|\s*\w*sh\b|\brm\s+-\w*[rf]\w*\b|\bbase64\s+(?:-d|--decode)\b|\bsudo\s+\S|\/dev\/tcp\//i;

/** The maximum number of lines in the list. */
const maxCommands = 100;

/** The maximum number of characters shown of a command. */
const maxShown = 200;

/** Returns the lines of a text that look like commands, because an agent that follows the text may run them. */
export function commandsIn(text: string): readonly NamedCommand[] {
  const found: NamedCommand[] = [];
  let isFenced = false;
  for (const [index, whole] of text.split(/\r\n?|\n/).entries()) {
    for (const line of linesWithin(whole)) {
      const bare = line.replace(/^(?:[-*|>]\s+|\w+:\s+)*["']?/, '');
      const isFence = /^(?:```|~~~)/.test(bare);
      if (isFence) isFenced = !isFenced;
      const at = isFenced ? (bare !== '' && !isFence ? 0 : -1) : commandAt(line, bare);
      if (at >= 0 && found.length < maxCommands) found.push({ line: index + 1, text: shownAt(line, at) });
    }
  }
  return found;
}

/**
 * Splits a line of a file into the lines of the text that it encodes, and decodes characters that are written as
 * numbers: JSON and quoted YAML allow both.
 */
function linesWithin(line: string): readonly string[] {
  const decoded = line.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U0{2}([0-9a-f]{6}))/gi,
    (spelled, ...digits) => {
      const code = Number.parseInt(digits.slice(0, 3).join(''), 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : spelled;
    },
  );
  return decoded.split(/\\[nr]|\r\n?|\n/).map((part) => part.trim());
}

/** Returns the part of a long line that contains the command. */
function shownAt(line: string, at: number): string {
  const from = line.length <= maxShown ? 0 : Math.max(0, Math.min(at - 20, line.length - maxShown));
  return (from > 0 ? '…' : '') + line.slice(from, from + maxShown);
}

/** Returns the position at which a line looks like a command, or -1. */
function commandAt(line: string, bare: string): number {
  // In JSON and in quoted YAML, the text begins after a quotation mark.
  if (atStart.test(bare)) return 0;
  const quoted = line.split('"').find((part) => atStart.test(part.trim()));
  if (quoted !== undefined) return line.indexOf(quoted);
  const found = anywhere.exec(line);
  if (found !== null) return found.index;
  const span = Array.from(line.matchAll(/`([^`]+)`/g)).find(([, code = '']) => inSpan.test(code.trim()));
  return span?.index ?? -1;
}

/** The review of a definition for a person. Every text in it is untrusted, so show invisible characters too. */
export interface Review {
  readonly source: string;
  /** The definition, or the workflow file in its folder, relative to the source. */
  readonly file: string;
  /** The texts that are trusted if the person agrees, including those that it borrows, as `workflow/path`. */
  readonly texts: Folder;
  /** The ones of these texts that it takes from other workflows. */
  readonly borrowed: Folder;
  /** The texts that were trusted last; absent for a definition that never was. */
  readonly before?: Folder;
  /** Over all of the texts. */
  readonly digest: string;
  readonly id?: string;
  readonly title?: string;
  /** Its problems, by file. With an error it can't be trusted, because it would not be served. */
  readonly problems: readonly FileIssue[];
  readonly hidden: readonly FoundCharacter[];
  /** Lines that look like commands, which an agent might run. */
  readonly commands: readonly FoundCommand[];
  readonly checkpoints: readonly ReviewedCheckpoint[];
  /** The differences from the checkpoints of the version that was trusted last, if there are any. */
  readonly since?: CheckpointChanges;
  /** The workflow of a more trusted source that it would replace. */
  readonly replaces?: Replaced;
  /** Whether a person can trust it: it has no errors, and it is not `meta` of a project. */
  readonly isTrustable: boolean;
}

/** A problem, and the file it is in. */
export interface FileIssue extends Pick<Issue, 'code' | 'column' | 'line' | 'message' | 'severity'> {
  readonly file: string;
}

/** A character that can't be seen, and where it is; line and column from 1. */
export interface FoundCharacter extends Pick<HiddenCharacter, 'name'> {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A line that looks like a command, and where it is. */
export interface FoundCommand extends NamedCommand {
  readonly file: string;
}

/** A point at which someone must decide. */
export interface ReviewedCheckpoint {
  /** Id of the activity and of the checkpoint, or of the step that asks for confirmation. */
  readonly id: string;
  readonly message: string;
  /** Whether an agent may not answer it. */
  readonly needsPerson: boolean;
}

/** The differences between the checkpoints of two definitions. */
export interface CheckpointChanges {
  /** Checkpoints of the other definition that this one does not have. */
  readonly missing: readonly string[];
  /** Checkpoints that needed a person there and do not here. */
  readonly weaker: readonly string[];
  readonly added: readonly string[];
}

/** The more trusted definition that it would replace, and the differences between their checkpoints. */
export interface Replaced extends CheckpointChanges {
  readonly source: string;
  readonly id: string;
}

/** A source whose definitions can be reviewed. */
interface ReviewedLayer extends Source, FolderLender {
  readonly store: FilesStore;
}

/** Lets a person review untrusted definitions and decide about them. */
export interface Reviews {
  /**
   * Returns the review of a definition as it is now, or `undefined` if it does not exist or can't be read. The work
   * counts against the principal, by default the local one. @throws TOO_COSTLY, BUSY
   */
  review(
    definition: Pick<UntrustedDefinition, 'file' | 'source'>,
    principal?: string,
  ): Promise<Review | undefined>;
  /** Trusts the texts that the review shows, even if the file has changed since. @throws INVALID_INPUT, NOT_WRITTEN */
  accept(review: Review, by: string): void;
}

/** The maximum number of problems of each kind in a review. */
const maxFound = 200;

/** Creates the reviews of the definitions in these sources, lowest precedence first. */
export function createReviews(
  layers: readonly ReviewedLayer[],
  { jobs, trust }: { readonly jobs: HostJobs; readonly trust: Trust },
): Reviews {
  const layerOf = (source: string | undefined): ReviewedLayer | undefined =>
    layers.find(({ name }) => name === source);

  return {
    async review({ file, source }, principal = 'local') {
      const layer = layerOf(source);
      const texts = await layer?.store.textsOf(file);
      if (layer === undefined || texts === undefined) return undefined;
      const others = layers.filter(({ directory }) => directory !== layer.directory);
      // The same order as when it is served: folders of its own source come before those of other sources.
      const borrow = async (other: string): Promise<Folder | undefined> =>
        (await layer.store.lend(other)) ?? (await lendFrom(others, other));
      const read = (wanted: TextsToRead): Promise<TextsRead> => readTexts(wanted, { jobs, principal });
      const reading = await read({ ...texts, borrow });
      const before = trust.lastTexts({ directory: layer.directory, file });
      const since = before && changesSince((await read(textsBefore(file, before))).outline, reading.outline);
      const replaces = reading.id === undefined ? undefined : await replacedBy(layers, layer, reading);
      const { borrowed } = reading;
      const all = new Map([...texts.texts, ...borrowed]);
      const hidden = [...all].flatMap(([name, text]) => hiddenIn(name, text));
      const problems = [...unreadableIn(texts), ...reading.problems];
      const isBroken = problems.some(({ severity }) => severity === 'error');
      return {
        source: layer.name,
        file,
        texts: all,
        borrowed,
        digest: digestOfTexts(all),
        ...(before && { before }),
        ...(reading.id !== undefined && { id: reading.id }),
        ...(reading.outline && { title: reading.outline.name }),
        problems: problems.slice(0, maxFound),
        hidden: hidden.slice(0, maxFound),
        commands: [...all].flatMap(([name, text]) =>
          commandsIn(text).map((command) => ({ ...command, file: name })),
        ),
        checkpoints: checkpointsOf(reading.outline),
        ...(since && { since }),
        ...(replaces && { replaces }),
        isTrustable: !isBroken && hidden.length === 0 && reading.id !== 'meta',
      };
    },
    accept({ source, file, texts, borrowed, id, replaces, isTrustable }, by) {
      const layer = layerOf(source);
      if (layer === undefined || !isTrustable) throw new TypeError(`'${file}' can't be trusted`);
      const place = { directory: layer.directory, file };
      const own = new Map([...texts].filter(([name]) => !borrowed.has(name)));
      trust.trust(
        place,
        { file, texts: own, digest: digestOfTexts(own) },
        { by, borrowed, ...(id !== undefined && { id }), ...(replaces && { replaces: replaces.id }) },
      );
    },
  };
}

interface TextsRead {
  readonly id?: string;
  readonly borrowed: Folder;
  readonly outline?: Outline;
  readonly problems: readonly FileIssue[];
}

/** The texts of a definition, and a function that returns the folders it borrows from. */
interface TextsToRead extends Pick<DefinitionTexts, 'file' | 'texts'> {
  readonly borrow: (workflow: string) => Promise<Folder | undefined>;
}

async function readTexts(
  { file, texts, borrow }: TextsToRead,
  { jobs, principal }: { readonly jobs: HostJobs; readonly principal: string },
): Promise<TextsRead> {
  const name = file.split('/').at(-1) ?? file;
  const isFolder = /^workflow\.(?:json|ya?ml|toon)$/.test(name) && file.includes('/');
  const [text = ''] = texts.values();
  const ask = isFolder
    ? { files: texts, id: file.split('/').at(-2) ?? '' }
    : { files: new Map([[name, text]]) };
  const { issuesByFile, ...read } = await jobs.run('review', ask, { principal, borrow });
  const problems = issuesByFile.flatMap(([part, issues]) =>
    issues.map(({ code, column, line, message, severity }) => ({
      file: part,
      code,
      column,
      line,
      message,
      severity,
    })),
  );
  return { ...read, problems };
}

/**
 * Returns an error for each unreadable file. Such a definition can't be trusted, because nobody knows what the file
 * does or replaces.
 */
function unreadableIn({ unreadable = new Map() }: DefinitionTexts): readonly FileIssue[] {
  return [...unreadable].map(([file, { finding, message }]) => ({
    file,
    code: finding,
    column: 1,
    line: 1,
    message,
    severity: 'error',
  }));
}

/**
 * Returns the workflow of a more trusted source that this definition would replace, and how the checkpoints differ.
 * Returns `undefined` if it would replace no workflow.
 */
async function replacedBy(
  layers: readonly ReviewedLayer[],
  layer: ReviewedLayer,
  { id = '', outline }: TextsRead,
): Promise<Replaced | undefined> {
  const below = layers.slice(0, layers.indexOf(layer)).filter(({ isProject }) => isProject !== true);
  for (const { name: source, store } of below.toReversed()) {
    const other = await store.get(id);
    if (other === undefined) continue;
    return { source, id, ...changesFrom(outlineOf(other), outline) };
  }
  return undefined;
}

/** Returns the version that was trusted last, with the texts that it borrowed then. */
function textsBefore(file: string, before: Folder): TextsToRead {
  const own = /^(?:[^/]+|(?:activities|skills|resources)\/[^/]+)$/;
  const texts = new Map([...before].filter(([name]) => own.test(name)));
  const lent = (other: string): Folder =>
    new Map(
      [...before].flatMap(([name, text]) =>
        !own.test(name) && name.startsWith(`${other}/`)
          ? [[name.slice(other.length + 1), text] as const]
          : [],
      ),
    );
  return { file, texts, borrow: async (other) => lent(other) };
}

/** Returns the differences from the checkpoints of the version before, or `undefined` if there are none. */
function changesSince(before: Outline | undefined, now: Outline | undefined): CheckpointChanges | undefined {
  const changes = changesFrom(before, now);
  return Object.values(changes).some(({ length }) => length > 0) ? changes : undefined;
}

function changesFrom(other: Outline | undefined, outline: Outline | undefined): CheckpointChanges {
  const theirs = checkpointsOf(other);
  const own = new Map(checkpointsOf(outline).map((one) => [one.id, one]));
  const theirIds = new Set(theirs.map((one) => one.id));
  return {
    missing: theirs.flatMap((one) => (own.has(one.id) ? [] : [one.id])),
    weaker: theirs.flatMap((one) =>
      one.needsPerson && own.get(one.id)?.needsPerson === false ? [one.id] : [],
    ),
    added: [...own.keys()].filter((one) => !theirIds.has(one)),
  };
}

function checkpointsOf({
  steps = [],
  activities = [],
}: Partial<Outline> = {}): readonly ReviewedCheckpoint[] {
  const inActivities = activities.flatMap((activity) =>
    activity.checkpoints.map(({ id, message, approver }) => ({
      id: `${activity.id}/${id}`,
      message,
      needsPerson: approver === 'human',
    })),
  );
  return [...steps.flatMap(confirmationsIn), ...inActivities];
}

function confirmationsIn({ id, title, confirmation, body }: OutlinedStep): readonly ReviewedCheckpoint[] {
  const own = confirmation && { id, message: title, needsPerson: confirmation.approver === 'human' };
  const inBody = typeof body === 'object' ? body.flatMap(confirmationsIn) : [];
  return own === undefined ? inBody : [own, ...inBody];
}

/** Returns the characters of a text that can't be seen. */
function hiddenIn(file: string, text: string): readonly FoundCharacter[] {
  return text.split('\n').flatMap((line, index) =>
    Array.from(hiddenPlaces(line.replace(/\r$/, '')), (place) => ({
      file,
      name: place.name,
      line: index + 1,
      column: place.index + 1,
    })),
  );
}

/**
 * Whether a server may run the checks of a project. `changed`: a person trusted another version. `missing`: a person
 * trusted a version, and the file no longer exists.
 */
export type ChecksTrustState = 'trusted' | 'untrusted' | 'changed' | 'missing';

/** The checks of a project, as a person reads them before they trust them. Every text in it is untrusted. */
export interface ChecksReview {
  /** The checks as they are now, with the digest that a person trusts. */
  readonly project: ProjectChecks;
  readonly state: Exclude<ChecksTrustState, 'missing'>;
  /** The version that was trusted last; absent if there is none. */
  readonly entry?: TrustedChecksFile;
  /** The texts of that version, if they were kept. */
  readonly before?: Folder;
  readonly hidden: readonly FoundCharacter[];
}

/** A project whose checks a person trusted, or can trust. */
export interface ChecksOfProject {
  /** The folder of the project. */
  readonly folder: string;
  readonly state: ChecksTrustState;
  readonly entry?: TrustedChecksFile;
}

/** Lets a person review the checks of projects and decide about them. */
export interface ChecksReviews {
  /** The folder in which this server runs checks; absent on a server that runs none. */
  readonly folder?: string;
  /** Returns how a person trusts the checks of these folders. Folders without checks are left out. */
  projects(folders: readonly string[]): Promise<readonly ChecksOfProject[]>;
  /** The folders with checks that a person trusts, in this version or an older one. */
  trustedFolders(): readonly string[];
  /** Returns the checks of a folder as they are now, or `undefined` if it has no file of checks. */
  review(folder: string): Promise<ChecksReview | undefined>;
  /** Trusts the texts that the review shows. @throws INVALID_FILE if they have an error; NOT_WRITTEN */
  accept(review: ChecksReview, by: string): void;
  /** Withdraws the trust in the checks of a folder; returns whether there was any. @throws NOT_WRITTEN */
  withdraw(folder: string): Promise<boolean>;
}

/** Makes the reviews of checks. `folder` is the one in which the server runs them. */
export function createChecksReviews(trust: Trust, folder: string | undefined): ChecksReviews {
  const entryAt = (path: string): TrustedChecksFile | undefined =>
    trust.record().checks.find((one) => one.path === path);

  async function review(place: string): Promise<ChecksReview | undefined> {
    const { readProjectChecks } = await import('@workflowlookup/evidence');
    const project = await readProjectChecks(place);
    if (project === undefined) return undefined;
    const entry = entryAt(project.path);
    const before = trust.checks.lastTexts(project.path);
    return {
      project,
      state: entry === undefined ? 'untrusted' : entry.digest === project.digest ? 'trusted' : 'changed',
      ...(entry && { entry }),
      ...(before && { before }),
      hidden: [...project.texts].flatMap(([name, text]) => hiddenIn(name, text)),
    };
  }

  async function pathOf(place: string): Promise<string> {
    const { checksPathOf } = await import('@workflowlookup/evidence');
    return checksPathOf(place);
  }

  return {
    ...(folder !== undefined && { folder }),
    review,
    async projects(folders) {
      const found = new Map<string, ChecksOfProject>();
      for (const one of folders) {
        const path = await pathOf(one);
        const { state = 'missing', entry = entryAt(path) } = (await review(one)) ?? {};
        // Two paths can lead to one folder.
        if (found.has(path) || (state === 'missing' && entry === undefined)) continue;
        found.set(path, { folder: one, state, ...(entry && { entry }) });
      }
      return [...found.values()];
    },
    trustedFolders: () => trust.record().checks.map(({ path }) => dirname(dirname(path))),
    accept({ project }, by) {
      const { checks, problem = '' } = project;
      if (checks === undefined) throw new WorkflowError('INVALID_FILE', trustMessages.checksInvalid(problem));
      trust.checks.trust(project, by);
    },
    async withdraw(place) {
      return trust.remove(await pathOf(place)) > 0;
    },
  };
}
