import type {
  SessionContents,
  SubmittedOutput,
  Operator,
  Question,
  SessionHistory,
  VariableChange,
} from '@workflowlookup/core/operator';
import type { Answer, AnswerOrigin, EvidenceResult } from '@workflowlookup/core/sessions';
import { markedCheckpoint } from '@workflowlookup/core/sessions';
import type { Json } from '@workflowlookup/schema';
import { commitAddress, evidenceTexts, idInCommand } from '@workflowlookup/schema';
import {
  answerTexts,
  assuranceTexts,
  outputTexts,
  sectionTitles,
  sessionTexts,
  setterTexts,
  whoTexts,
} from '../messages/sessions.ts';
import { indented, momentText, plainLine, plainLines } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Option = Question['checkpoint']['options'][number];

/** Formats a checkpoint for a person: the question, each option, and its effect. */
export function questionText(question: Question, { paint }: Pick<Terminal, 'paint'>): string {
  const checkpoint = markedCheckpoint(question);
  const { sid, workflowId, activity, definition, answeredBy } = question;
  const { asked, definition: definedBy } = answerTexts;
  return [
    paint('bold', plainLine(checkpoint.name)),
    paint('dim', plainLine(asked(checkpoint.id, activity, workflowId, sid, answeredBy === 'person'))),
    paint('dim', plainLine(definedBy(definition.source, definition.digest.slice(0, 23)))),
    '',
    plainLines(checkpoint.message, '  '),
    '',
    ...checkpoint.options.flatMap((option, at) => optionLines(option, `  ${at + 1}. `, paint)),
    '',
    ...sectionTexts(
      [
        [
          sectionTitles.values,
          variablesText(question.values.filter(({ isFromWorkflow }) => !isFromWorkflow)),
        ],
        [evidenceTexts.title, collectedText(question.evidence)],
        [sectionTitles.taken, takenText(question.taken)],
        [sectionTitles.stepsNotDone, notDoneText(question.notDone)],
      ],
      paint,
    ).flatMap((text) => [text, '']),
  ].join('\n');
}

/** A part of what is printed; without a body, it is left out. */
export type Section = readonly [title: string, body: string];

/** Formats the sections that have a body, each below its title. */
export function sectionTexts(sections: readonly Section[], paint: Terminal['paint']): readonly string[] {
  return sections.flatMap(([title, body]) => (body === '' ? [] : [`${paint('bold', title)}\n${body}`]));
}

/** Formats evidence in a table, with its current status, its level and its age. */
export function collectedText(evidence: NonNullable<Question['evidence']> = []): string {
  const rows = evidence.map(({ id, activity, status, freshness, recorded }) => [
    id,
    activity,
    freshness === 'unknown' ? `${status}, ${evidenceTexts.unknownFiles}` : status,
    recorded?.result.level ?? '',
    recorded === undefined ? '' : momentText(recorded.result.collectedAt ?? recorded.at),
    recorded === undefined ? '' : evidenceFacts(recorded.result).join('; '),
  ]);
  const lacksCheck = evidence.some(({ status }) => status === 'not-configured');
  return [indented(rows), ...(lacksCheck ? [evidenceTexts.canBeConfigured] : [])].join('\n');
}

// Texts that are parts of a line or cell, like those of the functions below, are made safe with the whole of it.

/** Describes what evidence showed: why it failed, what it counted, and what a person should know of it. */
export function evidenceFacts(
  result: Omit<EvidenceResult, 'kind' | 'level' | 'outcome' | 'output'>,
): readonly string[] {
  const { reasons, tests, testsBefore, coverage, errors, exitCode, command } = result;
  const { commit, paths, base, touched, by } = result;
  const address = commitAddress(result.repository, commit ?? '');
  const facts: readonly (readonly [
    name: keyof typeof evidenceTexts.facts,
    value: number | string | undefined,
  ])[] = [
    ['command', command],
    ['exitCode', exitCode],
    ['tests', tests && evidenceTexts.tests(tests, testsBefore)],
    ['errors', errors],
    ['coverage', coverage === undefined ? undefined : `${coverage} %`],
    [
      'commit',
      commit && (address ?? commit.slice(0, 12)) + (isCommitted(result) ? '' : evidenceTexts.uncommitted),
    ],
    ['paths', paths?.join(', ')],
    ['base', base?.slice(0, 12)],
    ['touched', touched?.join(', ')],
    ['by', by],
  ];
  return [
    ...reasons,
    ...facts.flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [`${evidenceTexts.facts[name]}: ${value}`],
    ),
  ];
}

function isCommitted({ tree }: Pick<EvidenceResult, 'tree'>): boolean {
  return tree === undefined || tree.startsWith('commit:');
}

/** Formats the checkpoints that nobody was asked about, each with the option that the server took. */
export function takenText(taken: readonly Unrevised<'taken'>[] = []): string {
  const rows = taken.map(({ checkpoint, activity, option, revision }) => [
    answerTexts.place(checkpoint, activity),
    option,
    revision === undefined ? '' : outputTexts.event(revision),
  ]);
  return indented(rows);
}

/** An entry of a history, or of a statement, which has no numbers of events. */
type Unrevised<Name extends 'notDone' | 'taken'> = Omit<SessionHistory[Name][number], 'revision'> & {
  readonly revision?: number;
};

/** Formats the steps that were not done, each with the reason that the agent gave. */
export function notDoneText(notDone: readonly Unrevised<'notDone'>[] = []): string {
  const rows = notDone.map(({ activity, step, reason, hasOutput }) => [
    activity === step ? step : `${activity}, ${step}`,
    hasOutput === true ? outputTexts.notProvedStep(reason) : reason,
  ]);
  return indented(rows);
}

/** Says whether a step with a reason was not done, or was done but not proved. */
export function notDoneTitle(reason: string, output: unknown): string {
  // The journal has a digest in place of a long output.
  const isDone = typeof output !== 'string' || output.trim() !== '';
  return isDone ? outputTexts.notProved(reason) : outputTexts.notDone(reason);
}

function optionLines(option: Option, mark: string, paint: Terminal['paint']): readonly string[] {
  const { id, label, description } = option;
  const indent = ' '.repeat(mark.length);
  return [
    `${mark}${paint('bold', plainLine(id))}: ${plainLine(label)}`,
    ...(description === undefined ? [] : [plainLines(description, indent)]),
    ...effectLines(option).map((line) => indent + paint('dim', line)),
  ];
}

function effectLines({ effect = {} }: Option): readonly string[] {
  const { setVariable = {}, transitionTo, skipActivities = [] } = effect;
  return [
    ...Object.entries(setVariable).map(([name, value]) => answerTexts.sets(name, JSON.stringify(value))),
    ...(transitionTo === undefined ? [] : [answerTexts.leadsTo(transitionTo)]),
    ...(skipActivities.length === 0 ? [] : [answerTexts.skips(skipActivities.join(', '))]),
  ].map(plainLine);
}

export function answerText(answer: Answer): string {
  switch (answer.kind) {
    case 'option':
      return answer.option;
    case 'auto-advance':
      return answerTexts.byTimer(answer.option);
    case 'dismissed':
      return answerTexts.dismissed;
  }
}

interface Answerer {
  readonly by: string;
  readonly person?: string;
  readonly origin?: AnswerOrigin;
}

export function answererText({ by, person, origin }: Answerer): string {
  if (origin?.channel === 'autonomy') return answerTexts.server;
  return by === 'agent' ? whoTexts.agent : (person ?? whoTexts.human);
}

export function originText({ channel, principal, credential, assurance }: AnswerOrigin): string {
  return [
    answerTexts.through(channel),
    assuranceTexts[assurance],
    ...(principal === undefined ? [] : [answerTexts.principal(principal)]),
    ...(credential === undefined ? [] : [answerTexts.credential(credential)]),
  ].join(', ');
}

/** The work before a checkpoint and the values in its question, which a person needs to decide. */
interface Evidence {
  readonly outputs: SessionContents['outputs'];
  readonly variables: readonly ShownVariable[];
}

/** A variable that the question refers to, or that changed, with its current value. */
type ShownVariable = Pick<VariableChange, 'name'> &
  Partial<Omit<VariableChange, 'name' | 'from' | 'to'>> & { readonly value: Json };

/** The most to print; `sessions show --json` has everything. */
const most = { outputs: 5, lines: 20, chars: 2_000, variables: 20, valueChars: 200 };

export async function evidenceFor(
  operator: Pick<Operator, 'contents' | 'history'>,
  { sid, checkpoint }: Pick<Question, 'checkpoint' | 'sid'>,
): Promise<Evidence> {
  const [contents, { variables: changes }] = await Promise.all([
    operator.contents(sid),
    operator.history(sid),
  ]);
  const last = new Map(changes.map((change) => [change.name, change]));
  // Values that the question refers to come first, even if they were set at the start.
  const names = new Set([...namesRead(contents, checkpoint.id), ...[...last.keys()].toReversed()]);
  const variables = [...names].flatMap((name): ShownVariable[] => {
    const value = Object.hasOwn(contents.variables, name) ? contents.variables[name] : undefined;
    if (value === undefined) return [];
    const { from: _from, to: _to, ...change } = last.get(name) ?? { name };
    return [{ ...change, value }];
  });
  return { outputs: contents.outputs, variables };
}

/** Returns the variables that the texts of a checkpoint refer to. */
function namesRead({ workflow }: SessionContents, checkpoint: string): readonly string[] {
  if (workflow.kind !== 'activities') return [];
  const found = workflow.activities
    .flatMap(({ definition }) => definition.checkpoints ?? [])
    .filter(({ id }) => id === checkpoint);
  return [...JSON.stringify(found).matchAll(/\{([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
}

/** Formats the evidence to print above a question; empty if the session has none. */
export function evidenceText(evidence: Evidence, sid: string, paint: Terminal['paint']): string {
  const { outputs, variables } = evidence;
  const shown = outputs.slice(-most.outputs);
  const rest = outputs.length - shown.length;
  const isPart = rest > 0 || shown.some(isCut) || variables.length > most.variables;
  const parts = [
    ...sectionTexts(
      [
        [sectionTitles.submitted, shown.map((one) => outputText(one, paint)).join('\n')],
        ['Variables', variablesText(variables.slice(0, most.variables))],
      ],
      paint,
    ),
    ...(isPart ? [paint('dim', outputTexts.isPartOf(idInCommand(sid)))] : []),
  ];
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
}

export function outputsText(outputs: SessionContents['outputs'], paint: Terminal['paint']): string {
  const shown = outputs.slice(-most.outputs).map((one) => outputText(one, paint));
  const isAll = outputs.length <= most.outputs && !outputs.some(isCut);
  return [...shown, ...(isAll ? [] : [paint('dim', `  ${outputTexts.isPart}`)])].join('\n');
}

/** Marks every line, so that an agent's text can't look like part of the question. */
function outputText(one: SubmittedOutput, paint: Terminal['paint']): string {
  const { activity, step, at, revision, output, notDone, verdict } = one;
  const judged = verdict === undefined ? '' : verdict.valid ? outputTexts.valid : outputTexts.invalid;
  const place = activity === step ? step : `${activity}, ${step}`;
  const title = notDone === undefined ? `${momentText(at)}${judged}` : notDoneTitle(notDone, output);
  const heading = paint('dim', plainLine(`  ${outputTexts.heading(place, revision, title)}`));
  if (notDone !== undefined && output === '') return heading;
  const lines = output.slice(0, most.chars).split(/\r?\n/).slice(0, most.lines).join('\n');
  const left = output.length - lines.length;
  return [
    heading,
    plainLines(lines, '  | '),
    ...(isCut(one) ? [paint('dim', `  | ${outputTexts.cut(left)}`)] : []),
  ].join('\n');
}

function isCut({ output }: SubmittedOutput): boolean {
  return output.length > most.chars || output.split('\n').length > most.lines;
}

function variablesText(variables: readonly ShownVariable[]): string {
  const rows = variables.map(({ name, value, ...setter }) => [name, shortValue(value), setterText(setter)]);
  return indented(rows);
}

/** Formats a value in one line, shortened if it is long. */
export function shortValue(value: unknown, maxChars: number = most.valueChars): string {
  const text = plainLine(JSON.stringify(value));
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

export function setterText(setter: Partial<Omit<VariableChange, 'name' | 'from' | 'to'>>): string {
  const { by, checkpoint, person, revision } = setter;
  if (revision === undefined) return sessionTexts.fromStart;
  const { byAnswer, set } = sessionTexts;
  return set(by === 'checkpoint' ? byAnswer(checkpoint, person) : setterTexts[by ?? 'unknown'], revision);
}
