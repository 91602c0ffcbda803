import { setTimeout as pause } from 'node:timers/promises';
import type {
  CheckpointWait,
  PlannedActivity,
  Question,
  RecordedEvent,
  SessionContents,
  SessionHistory,
} from '@workflowlookup/core/operator';
import type { SessionEvent } from '@workflowlookup/core/sessions';
import { evidenceTexts } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { exitCodes, present } from '../commands/command-line.ts';
import { insightMessages } from '../messages/sessions.ts';
import {
  indented,
  jsonText,
  momentText,
  plainLine,
  roundEstimate,
  spanText,
} from '../terminal/plain-text.ts';
import type { Emphasis, Terminal } from '../terminal/terminal.ts';
import type { SessionsContext } from './context.ts';
import { sessionOf } from './context.ts';
import type { Section } from './question-text.ts';
import {
  answererText,
  evidenceFacts,
  answerText,
  notDoneText,
  notDoneTitle,
  originText,
  outputsText,
  questionText,
  sectionTexts,
  setterText,
  shortValue,
  collectedText,
  takenText,
} from './question-text.ts';
import { waitingQuestion } from './respond.ts';

export async function show(context: SessionsContext, session: string): Promise<ExitCode> {
  const { operator, terminal } = context;
  const sid = await sessionOf(context, session);
  const [history, { outputs }] = await Promise.all([operator.history(sid), operator.contents(sid)]);
  const question = history.session.status === 'blocked' ? await waitingQuestion(operator, sid) : undefined;
  return context.answer(
    { ...history, outputs, question },
    () => historyText(history, { outputs, question }, terminal),
    history.chain.ok,
  );
}

/** Formats the history of a session. Empty parts are left out. */
export function historyText(
  history: SessionHistory,
  { outputs, question }: Pick<SessionContents, 'outputs'> & { readonly question: Question | undefined },
  terminal: Pick<Terminal, 'paint'>,
): string {
  const { paint } = terminal;
  const parts: readonly Section[] = [
    ['Plan', planText(history.plan)],
    ['Warnings', warningsText(history)],
    ['Outputs', outputsText(outputs, paint)],
    ['Not done', notDoneText(history.notDone)],
    [evidenceTexts.title, question === undefined ? collectedText(history.evidence) : ''],
    ['To review: decided without asking', takenText(history.taken)],
    ['Checkpoints', indented(history.checkpoints.map(checkpointCells))],
    [
      'Refused',
      indented(history.refusals.map(({ ts, name, aid, err = '' }) => [momentText(ts), aid, name, err])),
    ],
    [
      'Who',
      indented(
        history.participants.map(({ id, kind, calls, refused, readTokens }) => [
          id,
          kind,
          calls === 1 ? '1 call' : `${calls} calls`,
          refused === 0 ? '' : `${refused} refused`,
          readTokens === 0 ? '' : `read ${insightMessages.about(roundEstimate(readTokens))} tokens`,
        ]),
      ),
    ],
    ['Variables', variablesText(history)],
    ['Children', indented(history.children.map((one) => [one.sid, one.status, one.workflowId]))],
    ['Waits for an answer', question === undefined ? '' : questionText(question, terminal).trimEnd()],
  ];
  return [headText(history, paint), ...sectionTexts(parts, paint), chainText(history, paint)].join('\n\n');
}

const emphasisOf = {
  active: 'green',
  blocked: 'yellow',
  parked: 'yellow',
  completed: 'dim',
} as const satisfies Record<string, Emphasis>;

/** Says why a session is parked. The reason is quoted, because an agent may have written it. */
function parkedText({ by, person, reason, at, until }: NonNullable<SessionHistory['parked']>): string {
  const who = { agent: 'the agent', hook: 'a hook of its client', human: plainLine(person ?? 'a person') }[
    by
  ];
  const end = until === undefined ? '' : ` until ${momentText(until)}`;
  return `parked ${momentText(at)}${end} by ${who}: "${plainLine(reason)}"`;
}

function headText(
  { session, title, enforcement, outcome, parent, parked, plan }: SessionHistory,
  paint: Terminal['paint'],
): string {
  const { sid, status, workflowId, version, agent, project, createdAt, updatedAt } = session;
  const current = plan.find((one) => one.status === 'current');
  const at = current === undefined ? '' : ` at '${plainLine(current.id)}'`;
  const where = project === undefined ? '' : ` in ${plainLine(project)}`;
  return [
    `${paint('bold', plainLine(title))}  ${paint('dim', `session ${sid}`)}`,
    `${plainLine(workflowId)} ${plainLine(version)}, ${enforcement}: ${paint(emphasisOf[status], outcome ?? status)}${at}`,
    `started ${momentText(createdAt)} by ${plainLine(agent)}${where}; last changed ${momentText(updatedAt)} (UTC)`,
    ...(parent === undefined ? [] : [`a child of ${parent.sid} (${plainLine(parent.workflowId)})`]),
    ...(parked === undefined ? [] : [parkedText(parked)]),
    ...marksText(session),
  ].join('\n');
}

function marksText({ imported, sealed, unauthentic }: SessionHistory['session']): readonly string[] {
  return present([
    unauthentic && `not authenticated (${unauthentic}): it can be read but not continued`,
    sealed && `sealed ${momentText(sealed.at)} by ${plainLine(sealed.by)}, who vouched for what it held`,
    imported && importText(imported),
  ]);
}

function importText(imported: NonNullable<SessionHistory['session']['imported']>): string {
  const { at, by, isAuthentic, principal, exportedAt, exportedBy } = imported;
  const from = exportedBy === undefined ? '' : `, exported by ${plainLine(exportedBy)}`;
  const when = exportedAt === undefined ? '' : ` ${plainLine(exportedAt)}`;
  const worth = isAuthentic
    ? 'sealed by a key of this server'
    : 'no key of this server sealed it: it can be read but not continued';
  return `imported ${momentText(at)} by ${plainLine(by)}; it was ${plainLine(principal)}'s${from}${when}; ${worth}`;
}

function planText(plan: readonly PlannedActivity[]): string {
  const rows = plan.map(({ id, name, status, visits }) => [
    status === 'depends' ? 'depends on the answer' : status,
    id,
    name === id ? '' : name,
    visits > 1 ? `${visits} times` : '',
  ]);
  return indented(rows);
}

function checkpointCells({ checkpoint, activity, yieldedAt, answered }: CheckpointWait): readonly string[] {
  const place = `${checkpoint} of ${activity}`;
  if (answered === undefined) return [momentText(yieldedAt), place, 'not answered'];
  const { at, answer, note, origin, decided, isImported } = answered;
  const said = noteText(answered.by, note);
  const here = isImported === true ? ' (imported, not decided here)' : '';
  const how = origin === undefined ? '' : ` ${originText(origin)}`;
  const moved =
    decided?.isAsAsked === false ? ' (WARNING: the question is no longer the one that was answered)' : '';
  const waited = `after ${spanText(yieldedAt, at)}`;
  return [
    momentText(yieldedAt),
    place,
    `${answerText(answer)} by ${answererText(answered)} ${waited}${how}${said}${here}${moved}`,
  ];
}

/** Formats the note of an answer. If the agent passed the answer on, it may have written the note itself. */
function noteText(by: string, note: string | undefined): string {
  if (note === undefined) return '';
  return `${by === 'agent' ? ', and the agent passed on' : ''}: ${note}`;
}

/** Formats the warnings that an agent ignored, each with its move. */
function warningsText({ moves }: SessionHistory): string {
  return moves
    .flatMap(({ revision, from, to, warnings = [] }) => {
      const move = `${from === undefined ? 'start' : plainLine(from)} → ${to === undefined ? 'end' : plainLine(to)}`;
      return warnings.map((warning) => `  event ${revision}, ${move}: ${plainLine(warning)}`);
    })
    .join('\n');
}

const maxValueChars = 120;

function variablesText({ variables }: SessionHistory): string {
  const rows = variables.map(({ name, from, to, ...setter }) => [
    name,
    `${from === undefined ? 'unset' : shortValue(from, maxValueChars)} → ${shortValue(to, maxValueChars)}`,
    setterText(setter),
  ]);
  return indented(rows);
}

function chainText({ chain }: SessionHistory, paint: Terminal['paint']): string {
  return chain.ok
    ? `The chain of its ${chain.events} events is whole.`
    : paint('red', `The chain is broken at event ${chain.brokenAt}: its content is not what was sealed.`);
}

export interface FollowOptions {
  /** Milliseconds between two reads. */
  readonly every: number;
}

/** Prints the events of a session, from its start, until it completes or the user interrupts. */
export async function follow(
  context: SessionsContext,
  session: string,
  { every }: FollowOptions,
): Promise<ExitCode> {
  const { operator, terminal, asJson } = context;
  const sid = await sessionOf(context, session);
  const row = (await operator.summary(sid))?.session;
  const isUnverifiedToo = row?.unauthentic !== undefined;
  if (isUnverifiedToo && !asJson) await terminal.print(`${marksText(row).join('\n')}\n`);
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let after = 0;
  while (!interrupted.signal.aborted) {
    for (const recorded of await operator.events(sid, { after, isUnverifiedToo })) {
      if (asJson) await terminal.printExact(`${jsonText(recorded)}\n`);
      else await terminal.print(`${eventText(recorded)}\n`);
      after = recorded.revision;
      if (recorded.event.type === 'session-completed') stop();
    }
    await pause(every, undefined, { signal: interrupted.signal }).catch(() => undefined);
  }
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return exitCodes.ok;
}

function eventText({ revision, at, event }: RecordedEvent): string {
  const line = `${momentText(at)}  ${String(revision).padStart(3)}  ${plainLine(describe(event))}`;
  const { warnings = [] } = 'warnings' in event ? event : {};
  return [line, ...warnings.map((warning) => `      warning: ${plainLine(warning)}`)].join('\n');
}

function describe(event: SessionEvent): string {
  switch (event.type) {
    case 'session-started':
      return `started on ${event.workflowId} ${event.version}`;
    case 'activity-entered':
      return `entered ${event.activity}${stepsText(event)}`;
    case 'checkpoint-yielded':
      return `stopped at checkpoint ${event.checkpoint}`;
    case 'checkpoint-answered': {
      const answer = `${answerText(event.answer)} by ${answererText(event)}`;
      return `checkpoint ${event.checkpoint} answered ${answer}${noteText(event.by, event.note)}`;
    }
    case 'evidence-collected': {
      const facts = evidenceFacts(event.result).join('; ');
      const { outcome, level } = event.result;
      return `evidence ${event.evidence} ${outcome} (${level})${facts === '' ? '' : `: ${facts}`}`;
    }
    case 'session-completed':
      return event.outcome === undefined
        ? `completed${stepsText(event)}`
        : `abandoned${event.person === undefined ? '' : ` by ${event.person}`}`;
    case 'session-parked':
      return `parked by ${event.person ?? event.by}: ${event.reason}`;
    case 'session-resumed':
      return `resumed by ${event.person ?? event.by}`;
  }
}

type Moved = Pick<Extract<SessionEvent, { type: 'session-completed' }>, 'from' | 'manifest'>;

function stepsText({ from, manifest }: Moved): string {
  if (from === undefined) return '';
  const steps = manifest
    .map(({ step_id: id, output, not_done: reason }) =>
      reason === undefined ? id : `${id} ${notDoneTitle(reason, output)}`,
    )
    .join(', ');
  return ` after ${from}${steps === '' ? '' : ` (${steps})`}`;
}
