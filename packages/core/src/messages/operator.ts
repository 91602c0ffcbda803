import { idInCommand } from '@workflowlookup/schema';

// The messages for people who look after sessions: what verifying, sealing, importing and finding them reports.

/** The parts of a session that have a seal, as {@link sealProblems} name them. */
export const sealedParts = {
  row: () => 'The row of the session',
  event: (revision: number) => `Event ${revision}`,
  savedState: () => 'The saved state',
  call: (number: number) => `Call ${number} of the trace`,
  write: () => 'The record of a write',
  agent: (number: number) => `Agent ${number}`,
  bundle: (agent: number) => `The record of a bundle for agent ${agent}`,
  definition: () => 'The definition of the session',
} as const;

export const sealProblems = {
  forged: (part: string) => `${part} is not what a server with these keys wrote.`,
  noSeal: (part: string) => `${part} has no seal.`,
  /** @param key its id, if the seal has one */
  unknownKey: (part: string, key: string | undefined) =>
    `${part} was sealed with ${key === undefined ? 'a key' : `the key '${key}',`} which this server does not have.`,
  forgedExport: () => 'The export is not what the server with these keys wrote.',
  forgedAnchor: (line: number) => `Line ${line} of the anchor was not written by a server with these keys.`,
} as const;

/** The problems that verifying a session finds, apart from its seals. */
export const sessionProblems = {
  deleted: () => 'The anchor names this session, but it is no longer stored here.',
  rowDeleted: () => 'The row of this session is missing, but other rows of it are stored.',
  pruned: () => 'According to the anchor this session was deleted, but it is stored here again.',
  anchoredMissing: (revision: number) =>
    `Event ${revision}, which the anchor or statement names, is missing here.`,
  anchoredTwice: (revision: number) => `The anchor names two different events as event ${revision}.`,
  anchoredOther: (revision: number) => `Event ${revision} is not the one that the anchor or statement names.`,

  changed: (revision: number) => `Event ${revision} is not what was written.`,
  wrongEnd: () => 'The journal does not end with the event that the session names.',
  wrongFields: (revision: number, type: string) =>
    `Event ${revision} does not have the fields of an event '${type}'.`,
  tooEarly: (revision: number) => `Event ${revision} is earlier than the one before.`,
  notReplayable: (revision: number) => `Event ${revision} can't be replayed.`,

  wrongField: (field: string, found: string, expected: string) =>
    `Its ${field} is '${found}', but by its events it should be '${expected}'.`,
  wrongState: () => 'The saved state does not follow from the events.',
  noDefinition: (digest: string) => `The definition ${digest} is not stored here.`,
  otherDefinition: (digest: string, workflow: string) =>
    `The stored definition is not ${digest} of '${workflow}'.`,
  movedAnswer: (revision: number) =>
    `Event ${revision} answers a different question than the one that was asked.`,

  noOutput: (digest: string) => `The output ${digest} is missing or was replaced.`,
  otherOutputs: () => 'The outputs of the session are not those that its events name.',
  callsReordered: (writer: string) => `Calls that '${writer}' recorded are in another order.`,
  callTwice: (call: number | null, writer: string) =>
    `Call ${call} that '${writer}' recorded is in the trace more than once.`,
  callsMissing: (missing: number, all: number, writer: string) =>
    `${missing} of ${all} calls that '${writer}' recorded are missing from the trace.`,
  noCommand: (revision: number) => `The command that made event ${revision} is missing.`,
  otherCommand: (revision: number | undefined) =>
    `A command is recorded for event ${String(revision)}, which it did not make.`,
  agentsReordered: () => 'The numbers of the agents do not match the order in which they joined.',
  noAgent: (agent: string) => `The agent '${agent}' is missing.`,
} as const;

/** The problems that verifying finds in the database itself. */
export const databaseProblems = {
  damaged: (what: string) => `The database is damaged: ${what}`,
  /** @param kind such as `trigger` */
  foreign: (kind: string, name: string, table: string) =>
    `The database has ${foreignName(kind, name, table)}, which no server made. It can hide rows, or change what is written. Drop it, then verify again.`,
  changedTable: (name: string) =>
    `'${name}' of the database has a rule that no server made, such as ON CONFLICT or a default. It can keep rows from being written, or change them. Restore the database from a backup, then verify again.`,
  // Dropping it at once would delete sessions whose rows somebody moved there.
  foreignTable: (kind: string, name: string, table: string) =>
    `The database has ${foreignName(kind, name, table)}, which no server made. Its rows count as rows of '${table}', and it can hide them or change what is written. Move the rows that you want to keep to '${table}', drop it, then verify again.`,
} as const;

const foreignName = (kind: string, name: string, table: string): string =>
  name === table ? `${kind} on '${table}'` : `the ${kind} '${name}' on '${table}'`;

export const operatorMessages = {
  ambiguousId: (prefix: string, found: readonly string[], most: number) =>
    `The ids of ${found.length} sessions begin with '${prefix}': ${found.slice(0, most).join(', ')}${found.length > most ? ', …' : ''}. Give more characters of the id.`,
  emptyOutput: () => 'The output is empty.',

  storeHasNoSeals: () => 'The store of this session does not seal what it keeps.',
  /** @param problems the first of them, each with its code */
  notSealed: (sid: string, problems: readonly string[]) =>
    `Session '${sid}' was not sealed, because there is more wrong with it than a missing seal. ${problems.join(' ')} See all of it with "workflowlookup sessions verify ${idInCommand(sid)}".`,

  /** @param reason one of the {@link importProblems} */
  notImported: (reason: string) =>
    `The exported session can't be imported: ${reason}. Export it again where it is stored.`,
  badStatus: (given: unknown, statuses: readonly string[]) =>
    `There is no status ${JSON.stringify(given)?.slice(0, 40)}. The statuses are ${statuses.join(', ')}. A session that waits at a checkpoint is blocked.`,
  noStatusList: (given: unknown) =>
    `The statuses ${JSON.stringify(given)?.slice(0, 40)} are not a list. Pass a list, such as ["active"].`,
} as const;

export const importProblems = {
  changed: () => 'it was changed after a server with these keys exported it',
  wrongId: () => 'its id is not one that a server gives',
  wrongFields: (revision: number, type: string) =>
    `event ${revision} does not have the fields of an event '${type}'`,
  wrongTime: (revision: number) => `event ${revision} is earlier than the one before, or in the future`,
  wrongField: (field: string) => `its ${field} does not follow from its events`,
  otherOutputs: () => 'its outputs are not those that its events name',
  otherDefinition: () => 'it has another definition than it was started on (line 1)',
  unknownActivity: () => 'it entered an activity that its definition does not have',
  notReplayable: () => "its events can't be replayed on its definition",
  wrongCall: () => 'a call of its trace is not valid',
  unknownAgent: () => 'an agent in its trace never joined',
} as const;

/** How a session ended, where its workflow does not name its outcomes. */
export const insightTexts = {
  abandoned: () => 'abandoned',
  completed: () => 'completed',
  endedIn: (activity: string) => `ended in ${activity}`,
} as const;

/** Why a step or an activity was not done, or may not be. Each completes a sentence. */
export const notDoneTexts = {
  dependsOn: (checkpoints: readonly string[]) =>
    `it depends on the answer to ${checkpoints.length === 1 ? 'checkpoint' : 'the checkpoints'} ${checkpoints.map((id) => `'${id}'`).join(', ')}`,
  skippedByAnswer: (option: string, checkpoint: string) =>
    `the answer '${option}' to checkpoint '${checkpoint}' skipped it`,
  skippedByDismissal: (checkpoint: string) => `the dismissal of checkpoint '${checkpoint}' skipped it`,
  skippedByMode: (mode: string) => `mode '${mode}' skips it`,
  abandoned: () => 'the session was abandoned',
  notReached: () => 'no transition that was taken leads to it',
  conditionFalse: (condition: string) => `its condition was false: ${condition}`,
  noIteration: (loop: string) => `loop '${loop}' had no iteration`,
  skipped: () => 'it was skipped',
} as const;
