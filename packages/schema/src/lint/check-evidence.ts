import type { FileFinding } from '../findings/collect-findings.ts';
import { activityLocation } from '../findings/collect-findings.ts';
import type { Finding } from '../findings/finding.ts';
import {
  ciOnlyForChecks,
  duplicateId,
  evidenceKindMissing,
  githubWithoutCi,
  notFromGitHub,
  onlyForChecks,
} from '../messages/workflow.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import type { Evidence } from '../workflow/evidence.ts';
import type { StepWorkflowDefinition } from '../workflow/step-workflow.ts';
import { walkActivitySteps, walkSteps } from '../workflow/walk.ts';

/** Finds evidence with the id of another in the same activity, and evidence that is of no kind or of several. */
export function* checkActivityEvidence({ activities }: ActivityWorkflow): Generator<FileFinding> {
  for (const part of activities) {
    const firsts = new Map<string, string>();
    for (const { step, pointer } of walkActivitySteps(part.definition)) {
      for (const { pointer: at, ...finding } of checkList(step.evidence ?? [], `${pointer}/evidence`, firsts))
        yield { ...activityLocation(part, at), ...finding };
    }
  }
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
