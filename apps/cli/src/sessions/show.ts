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
import {
  answerTexts,
  eventTexts,
  insightMessages,
  sectionTitles,
  sessionTexts,
  whoTexts,
} from '../messages/sessions.ts';
import {
  counted,
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
    [sectionTitles.notDone, notDoneText(history.notDone)],
    [evidenceTexts.title, question === undefined ? collectedText(history.evidence) : ''],
    [sectionTitles.toReview, takenText(history.taken)],
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
          counted(calls, 'call'),
          refused === 0 ? '' : sessionTexts.refused(refused),
          readTokens === 0 ? '' : sessionTexts.read(insightMessages.about(roundEstimate(readTokens))),
        ]),
      ),
    ],
    ['Variables', variablesText(history)],
    ['Children', indented(history.children.map((one) => [one.sid, one.status, one.workflowId]))],
    [sectionTitles.waits, question === undefined ? '' : questionText(question, terminal).trimEnd()],
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
  const who = by === 'human' && person !== undefined ? person : whoTexts[by];
  return plainLine(sessionTexts.parked(momentText(at), until && momentText(until), who, reason));
}

function headText(
  { session, title, enforcement, outcome, parent, parked, plan }: SessionHistory,
  paint: Terminal['paint'],
): string {
  const { sid, status, workflowId, version, agent, project, createdAt, updatedAt } = session;
  const current = plan.find((one) => one.status === 'current');
  const workflow = plainLine(`${workflowId} ${version}`);
  const state = paint(emphasisOf[status], outcome ?? status);
  return [
    `${paint('bold', plainLine(title))}  ${paint('dim', sessionTexts.session(sid))}`,
    sessionTexts.state(workflow, enforcement, state, current && plainLine(current.id)),
    plainLine(sessionTexts.lifetime(momentText(createdAt), agent, project, momentText(updatedAt))),
    ...(parent === undefined ? [] : [plainLine(sessionTexts.childOf(parent.sid, parent.workflowId))]),
    ...(parked === undefined ? [] : [parkedText(parked)]),
    ...marksText(session),
  ].join('\n');
}

function marksText({ imported, sealed, unauthentic }: SessionHistory['session']): readonly string[] {
  return present([
    unauthentic && sessionTexts.unauthenticated(unauthentic),
    sealed && plainLine(sessionTexts.sealed(momentText(sealed.at), sealed.by)),
    imported && importText(imported),
  ]);
}

function importText(imported: NonNullable<SessionHistory['session']['imported']>): string {
  const { at, by, isAuthentic, principal, exportedAt, exportedBy } = imported;
  const from = exportedBy === undefined ? '' : sessionTexts.exportedBy(exportedBy);
  const exported = exportedAt === undefined ? from : `${from} ${exportedAt}`;
  return plainLine(sessionTexts.imported(momentText(at), by, principal, exported, isAuthentic));
}

function planText(plan: readonly PlannedActivity[]): string {
  const rows = plan.map(({ id, name, status, visits }) => [
    status === 'depends' ? sessionTexts.dependsOnAnswer : status,
    id,
    name === id ? '' : name,
    visits > 1 ? sessionTexts.times(visits) : '',
  ]);
  return indented(rows);
}

function checkpointCells({ checkpoint, activity, yieldedAt, answered }: CheckpointWait): readonly string[] {
  const place = answerTexts.place(checkpoint, activity);
  if (answered === undefined) return [momentText(yieldedAt), place, answerTexts.notAnswered];
  const { at, answer, note, origin, decided, isImported } = answered;
  const said = [
    answerTexts.answered(answerText(answer), answererText(answered)),
    answerTexts.waited(spanText(yieldedAt, at)),
    origin === undefined ? '' : ` ${originText(origin)}`,
    noteText(answered.by, note),
    isImported === true ? answerTexts.imported : '',
    decided?.isAsAsked === false ? answerTexts.otherQuestion : '',
  ];
  return [momentText(yieldedAt), place, said.join('')];
}

/** Formats the note of an answer. If the agent passed the answer on, it may have written the note itself. */
function noteText(by: string, note: string | undefined): string {
  return note === undefined ? '' : `${by === 'agent' ? answerTexts.passedOn : ''}: ${note}`;
}

/** Formats the warnings that an agent ignored, each with its move. */
function warningsText({ moves }: SessionHistory): string {
  return moves
    .flatMap(({ revision, from = 'start', to = 'end', warnings = [] }) =>
      warnings.map((warning) => `  ${plainLine(sessionTexts.moved(revision, from, to, warning))}`),
    )
    .join('\n');
}

const maxValueChars = 120;

function variablesText({ variables }: SessionHistory): string {
  const rows = variables.map(({ name, from, to, ...setter }) => [
    name,
    `${from === undefined ? sessionTexts.unset : shortValue(from, maxValueChars)} → ${shortValue(to, maxValueChars)}`,
    setterText(setter),
  ]);
  return indented(rows);
}

function chainText({ chain }: SessionHistory, paint: Terminal['paint']): string {
  return chain.ok
    ? sessionTexts.chainWhole(chain.events)
    : paint('red', sessionTexts.chainBroken(chain.brokenAt));
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
  return [line, ...warnings.map((warning) => `      ${plainLine(eventTexts.warning(warning))}`)].join('\n');
}

function describe(event: SessionEvent): string {
  switch (event.type) {
    case 'session-started':
      return eventTexts.started(event.workflowId, event.version);
    case 'activity-entered':
      return eventTexts.entered(event.activity, stepsText(event));
    case 'checkpoint-yielded':
      return eventTexts.yielded(event.checkpoint);
    case 'checkpoint-answered': {
      const answer = answerTexts.answered(answerText(event.answer), answererText(event));
      return eventTexts.answered(event.checkpoint, answer) + noteText(event.by, event.note);
    }
    case 'evidence-collected': {
      const facts = evidenceFacts(event.result).join('; ');
      const { outcome, level } = event.result;
      return eventTexts.evidence(event.evidence, outcome, level) + (facts === '' ? '' : `: ${facts}`);
    }
    case 'session-completed':
      return event.outcome === undefined
        ? eventTexts.completed(stepsText(event))
        : eventTexts.abandoned(event.person);
    case 'session-parked':
      return eventTexts.parked(event.person ?? event.by, event.reason);
    case 'session-resumed':
      return eventTexts.resumed(event.person ?? event.by);
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
  return eventTexts.after(from, steps);
}
