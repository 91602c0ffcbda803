import type { Contents, HandedIn, Operator, Question, Story, VariableChange } from '@workflowlookup/core';
import type { Json } from '@workflowlookup/schema';
import { idInCommand } from '@workflowlookup/schema';
import { plainLine, plainLines } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import { momentText } from '../render/times.ts';
import type { Terminal } from '../terminal.ts';

/** What a person judges by before they answer: the work before the checkpoint, and the values its question reads. */
export interface Evidence {
  readonly outputs: Contents['outputs'];
  readonly variables: readonly ShownVariable[];
}

/** A variable that the question shows, or that changed, with its value now. */
type ShownVariable = Pick<VariableChange, 'name'> &
  Partial<Omit<VariableChange, 'name' | 'from' | 'to'>> & { readonly value: Json };

/** The most that is printed; `sessions show --json` has all. */
const most = { outputs: 5, lines: 20, chars: 2_000, variables: 20, valueChars: 200 };

/** Reads what there is to judge a question by. */
export async function evidenceFor(
  operator: Pick<Operator, 'contents' | 'story'>,
  { sid, checkpoint }: Pick<Question, 'checkpoint' | 'sid'>,
): Promise<Evidence> {
  const [contents, { variables: changes }] = await Promise.all([operator.contents(sid), operator.story(sid)]);
  const last = new Map(changes.map((change) => [change.name, change]));
  // What the question reads goes first, also where it has its value from the start.
  const names = new Set([...namesRead(contents, checkpoint.id), ...[...last.keys()].toReversed()]);
  const variables = [...names].flatMap((name): ShownVariable[] => {
    const value = Object.hasOwn(contents.variables, name) ? contents.variables[name] : undefined;
    if (value === undefined) return [];
    const { from: _from, to: _to, ...change } = last.get(name) ?? { name };
    return [{ ...change, value }];
  });
  return { outputs: contents.outputs, variables };
}

/** The variables that the texts of a checkpoint show, as its author wrote them. */
function namesRead({ workflow }: Contents, checkpoint: string): readonly string[] {
  if (workflow.kind !== 'activities') return [];
  const found = workflow.activities
    .flatMap(({ definition }) => definition.checkpoints ?? [])
    .filter(({ id }) => id === checkpoint);
  return [...JSON.stringify(found).matchAll(/\{([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
}

/** The evidence that is printed above a question, or nothing if the session has none. */
export function evidenceText(evidence: Evidence, sid: string, paint: Terminal['paint']): string {
  const { outputs, variables } = evidence;
  const shown = outputs.slice(-most.outputs);
  const rest = outputs.length - shown.length;
  const parts = [
    ...(outputs.length === 0
      ? []
      : [paint('bold', 'Submitted by agents before this'), ...shown.map((one) => outputText(one, paint))]),
    ...(variables.length === 0 ? [] : [paint('bold', 'Variables'), variablesText(variables)]),
    ...(rest > 0 || shown.some(isCut) || variables.length > most.variables
      ? [
          paint(
            'dim',
            `Not everything is shown. All of it: workflowlookup sessions show ${idInCommand(sid)} --json`,
          ),
        ]
      : []),
  ];
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
}

/** The outputs of a story, as `sessions show` lists them. */
export function outputsText(outputs: Contents['outputs'], paint: Terminal['paint']): string {
  const shown = outputs.slice(-most.outputs).map((one) => outputText(one, paint));
  const isAll = outputs.length <= most.outputs && !outputs.some(isCut);
  return [
    ...shown,
    ...(isAll ? [] : [paint('dim', '  Not everything is shown; --json has all of it.')]),
  ].join('\n');
}

/** Every line has a mark before it, so that nothing an agent wrote looks like a part of the question. */
function outputText(one: HandedIn, paint: Terminal['paint']): string {
  const { activity, step, at, revision, output, verdict } = one;
  const judged =
    verdict === undefined ? '' : verdict.valid ? ', meets its criteria' : ', misses its criteria';
  const place = activity === step ? step : `${activity}, ${step}`;
  const lines = output.slice(0, most.chars).split(/\r?\n/).slice(0, most.lines).join('\n');
  const left = output.length - lines.length;
  return [
    paint('dim', `  ${plainLine(place)}: event ${revision}, ${momentText(at)}${judged}`),
    plainLines(lines, '  | '),
    ...(isCut(one) ? [paint('dim', `  | … ${left} more characters`)] : []),
  ].join('\n');
}

function isCut({ output }: HandedIn): boolean {
  return output.length > most.chars || output.split('\n').length > most.lines;
}

function variablesText(variables: readonly ShownVariable[]): string {
  const rows = variables
    .slice(0, most.variables)
    .map(({ name, value, ...setter }) => [name, shortValue(value), setterText(setter)]);
  return columns(rows, '  ');
}

/** A value in one line, cut where it is long. */
export function shortValue(value: Json): string {
  const text = plainLine(JSON.stringify(value));
  return text.length > most.valueChars ? `${text.slice(0, most.valueChars)}…` : text;
}

/** Who set a variable, and when. */
export function setterText({
  by,
  checkpoint,
  person,
  revision,
}: Partial<Pick<Story['variables'][number], 'by' | 'checkpoint' | 'person' | 'revision'>>): string {
  if (revision === undefined) return 'as it was at the start';
  const who: Readonly<Record<NonNullable<typeof by>, string>> = {
    agent: 'by an agent',
    checkpoint: `by the answer to ${plainLine(checkpoint ?? 'a checkpoint')}${person === undefined ? '' : ` of ${plainLine(person)}`}`,
    action: 'by the workflow',
    mode: 'by a mode of the workflow',
    default: 'by default',
    trigger: 'by the parent session',
    unknown: 'by an unknown author',
  };
  return `set ${who[by ?? 'unknown']} at event ${revision}`;
}
