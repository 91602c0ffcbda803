import type { Expectation, ExpectedRefusal, Json, WorkflowTest } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import type { Rehearsal } from './rehearsal.ts';
import { bareId } from './script.ts';

/** What came out otherwise than a test expects, a sentence for each. */
export function compareRehearsal({ expect = {} }: WorkflowTest, found: Rehearsal): readonly string[] {
  return [
    ...outcomeOf(expect, found),
    ...pathOf(expect, found),
    ...reachedOf(expect, found),
    ...refusalsOf(expect, found),
    ...variablesOf(expect, found),
    ...warningsOf(expect, found),
  ];
}

function outcomeOf({ outcome = 'completed' }: Expectation, found: Rehearsal): readonly string[] {
  if (outcome === found.outcome) return [];
  return outcome === 'completed'
    ? [`The workflow was not completed. ${found.stop ?? ''}`.trim()]
    : ['The workflow was completed, and was expected not to be.'];
}

function pathOf({ path }: Expectation, found: Rehearsal): readonly string[] {
  if (path === undefined) return [];
  const length = Math.max(path.length, found.path.length);
  for (let at = 0; at < length; at += 1) {
    const [wanted, came] = [path[at], found.path[at]];
    if (wanted !== undefined && came !== undefined && isMeant(wanted, came)) continue;
    return [`Place ${at + 1} of the path is ${nameOf(came)}, expected ${nameOf(wanted)}.`];
  }
  return [];
}

function nameOf(id: string | undefined): string {
  return id === undefined ? 'the end' : `'${id}'`;
}

/** An id without a round stands for every round. */
function isMeant(id: string, instance: string): boolean {
  return id === instance || id === bareId(instance);
}

function reachedOf({ reached = [], notReached = [] }: Expectation, { path }: Rehearsal): readonly string[] {
  const isReached = (id: string): boolean => path.some((instance) => isMeant(id, instance));
  return [
    ...reached.filter((id) => !isReached(id)).map((id) => `'${id}' was not reached.`),
    ...notReached.filter(isReached).map((id) => `'${id}' was reached, and was expected not to be.`),
  ];
}

function refusalsOf({ refused = [] }: Expectation, found: Rehearsal): readonly string[] {
  const wanted = refused.map((one): ExpectedRefusal => (typeof one === 'string' ? { step: one } : one));
  const stray = found.refused.slice(wanted.length);
  return [
    ...wanted.flatMap(({ step, because }, at) => {
      const came = found.refused[at];
      if (came === undefined || !isMeant(step, came.step))
        return [
          `The output of '${step}' was expected to be refused${came === undefined ? '' : `, not that of '${came.step}'`}.`,
        ];
      const said = came.issues.join('; ');
      return because === undefined || said.includes(because)
        ? []
        : [`The output of '${came.step}' was refused because of '${said}', expected '${because}'.`];
    }),
    ...stray.map(({ step, issues }) => `The output of '${step}' was refused: ${issues.join('; ')}.`),
  ];
}

function variablesOf({ variables = {} }: Expectation, found: Rehearsal): readonly string[] {
  return Object.entries(variables).flatMap(([name, wanted]) => {
    const value = Object.hasOwn(found.variables, name) ? (found.variables[name] ?? null) : null;
    return canonicalJson(value) === canonicalJson(wanted)
      ? []
      : [`Variable '${name}' is ${show(value)} at the end, expected ${show(wanted)}.`];
  });
}

function show(value: Json): string {
  return value === null ? 'not set' : JSON.stringify(value);
}

function warningsOf({ warnings = [] }: Expectation, found: Rehearsal): readonly string[] {
  return [
    ...warnings
      .filter((part) => !found.warnings.some((warning) => warning.includes(part)))
      .map((part) => `No warning says '${part}'.`),
    ...found.warnings
      .filter((warning) => !warnings.some((part) => warning.includes(part)))
      .map((warning) => `A warning came that was not expected: ${warning}`),
  ];
}
