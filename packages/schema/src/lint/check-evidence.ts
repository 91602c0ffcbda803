import type { FileFinding } from '../findings/collect-findings.ts';
import { activityLocation } from '../findings/collect-findings.ts';
import type { Finding } from '../findings/finding.ts';
import {
  ciOnlyForChecks,
  duplicateId,
  evidenceKindMissing,
  filledTooLate,
  githubWithoutCi,
  lastItemOnly,
  notFromGitHub,
  onlyForChecks,
} from '../messages/workflow.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import type { Evidence } from '../workflow/outputs.ts';
import type { StepWorkflowDefinition } from '../workflow/step-workflow.ts';
import type { WalkedActivityStep } from '../workflow/walk.ts';
import { walkActivitySteps, walkSteps } from '../workflow/walk.ts';

/**
 * Finds evidence with the id of another in the same activity, evidence that is of no kind or of several, and evidence
 * that can't be collected when the agent has to.
 */
export function* checkActivityEvidence({ activities }: ActivityWorkflow): Generator<FileFinding> {
  for (const part of activities) {
    const firsts = new Map<string, string>();
    const setBy = new Map<string, string>();
    for (const walked of walkActivitySteps(part.definition)) {
      const { step, pointer } = walked;
      const found = [
        ...checkList(step.evidence ?? [], `${pointer}/evidence`, firsts),
        ...checkTime(walked, setBy),
        ...checkItem(walked),
      ];
      for (const { pointer: at, ...finding } of found) yield { ...activityLocation(part, at), ...finding };
      for (const name of Object.keys(step.sets ?? {})) setBy.set(name, step.id);
    }
  }
}

/**
 * Finds evidence with a value which an earlier step of the activity sets by its output. Evidence is collected before the
 * outputs are submitted, so the server asks for something else then.
 */
function* checkTime(
  { step, pointer }: WalkedActivityStep,
  setBy: ReadonlyMap<string, string>,
): Generator<Finding> {
  for (const [at, evidence] of (step.evidence ?? []).entries()) {
    const late = namesIn(evidence).flatMap((name) => {
      const by = setBy.get(name) ?? setBy.get(name.split('.', 1)[0] ?? '');
      return by === undefined ? [] : [{ name, by }];
    })[0];
    if (late !== undefined)
      yield {
        severity: 'warning',
        code: 'stuck',
        pointer: `${pointer}/evidence/${at}`,
        ...filledTooLate(evidence.id, late.name, late.by),
      };
  }
}

/** Finds evidence about each item of a loop over steps. */
function* checkItem({ step, pointer, loop }: WalkedActivityStep): Generator<Finding> {
  const { id = '', variable } = loop ?? {};
  if (variable === undefined) return;
  for (const [at, evidence] of (step.evidence ?? []).entries()) {
    if (namesIn(evidence).some((name) => name.split('.', 1)[0] === variable))
      yield {
        severity: 'warning',
        code: 'no-effect',
        pointer: `${pointer}/evidence/${at}`,
        ...lastItemOnly(evidence.id, variable, id),
      };
  }
}

/** Returns the variables that evidence names. */
function namesIn(evidence: Evidence): readonly string[] {
  const named = JSON.stringify(evidence).matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g);
  return [...named].map(([, name = '']) => name);
}

/** The same for a step workflow, where each step is an activity of its own. */
export function* checkStepEvidence({ steps }: StepWorkflowDefinition): Generator<Finding> {
  for (const { step, pointer } of walkSteps(steps)) {
    if (step.type !== 'loop') yield* checkList(step.evidence ?? [], `${pointer}/evidence`, new Map());
  }
}

const kinds = ['check', 'git', 'changes', 'file'] as const;

const checkOptions = ['tests', 'min', 'max_failures', 'coverage', 'github'] as const;

function* checkList(
  list: readonly Evidence[],
  pointer: string,
  firsts: Map<string, string>,
): Generator<Finding> {
  for (const [at, evidence] of list.entries()) {
    const place = `${pointer}/${at}`;
    const first = firsts.get(evidence.id);
    if (first === undefined) firsts.set(evidence.id, place);
    else
      yield {
        severity: 'error',
        code: 'duplicate-id',
        pointer: `${place}/id`,
        ...duplicateId('evidence', evidence.id, first),
      };
    const found = kinds.filter((kind) => kind in evidence);
    if (found.length !== 1)
      yield {
        severity: 'error',
        code: 'wrong-value',
        pointer: place,
        ...evidenceKindMissing(evidence.id, found),
      };
    yield* checkLevel(evidence, place);
    if ('check' in evidence) continue;
    for (const option of checkOptions) {
      if (option in evidence)
        yield {
          severity: 'error',
          code: 'wrong-value',
          pointer: `${place}/${option}`,
          ...onlyForChecks(evidence.id, option),
        };
    }
  }
}

/** Finds levels that nothing can reach, and where to look for them in vain. */
function* checkLevel(evidence: Evidence, place: string): Generator<Finding> {
  const { id, level } = evidence;
  const wrong = { severity: 'error', code: 'wrong-value' } as const;
  if (!('check' in evidence)) {
    if (level === 'ci') yield { ...wrong, pointer: `${place}/level`, ...ciOnlyForChecks(id) };
    return;
  }
  if (evidence.github === undefined) return;
  const counts = (['tests', 'min', 'coverage'] as const).filter((one) => evidence[one] !== undefined);
  if (level !== 'ci') yield { ...wrong, pointer: `${place}/github`, ...githubWithoutCi(id) };
  else if (counts.length > 0) yield { ...wrong, pointer: `${place}/github`, ...notFromGitHub(id, counts) };
}
