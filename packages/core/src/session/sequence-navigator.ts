import { evaluate } from '@workflowlookup/conditions';
import type { CompiledWorkflow } from '../compile-workflow.ts';
import type { NextStep, StepFound } from '../next-step.ts';
import { nextStep } from '../next-step.ts';
import { readProgress } from '../progress.ts';
import { standAt } from '../stand-at.ts';
import { describeStuck } from '../describe-stuck.ts';
import type { Gate, Move, Navigator, Place, Whereabouts } from './navigator.ts';

/** The checkpoint that a step's `requireConfirmation` becomes. */
export const confirmGate = 'confirm';

/**
 * Navigates a step workflow: each step is an activity, by its instance id; what comes next is what `nextStep` says.
 *
 * @see docs/sessions.md#step-workflows
 */
export function sequenceNavigator(compiled: CompiledWorkflow): Navigator {
  const { id, digest, definition } = compiled.workflow;
  const ahead = ({ completed, current, variables }: Whereabouts): NextStep =>
    nextStep(
      compiled,
      readProgress(compiled, current === undefined ? completed : [...completed, current]),
      variables,
    );
  return {
    workflow: { id, version: definition.version ?? '0.0.0', title: definition.name, digest },
    enforcement: definition.enforcement ?? 'advisory',
    variables: (definition.variables ?? []).map(({ name, type, default: value }) => ({
      name,
      type,
      ...(value === undefined ? {} : { value }),
    })),
    modes: [],
    required: [],
    has: (activityId) => standAt(compiled, activityId, {}) !== undefined,
    moves(at): readonly Move[] {
      const next = ahead(at);
      return next.kind === 'step' ? [{ target: next.instanceId, when: 'the next step', holds: true }] : [];
    },
    obstacle(at) {
      const next = ahead(at);
      return next.kind === 'stuck' || next.kind === 'exhausted' ? describeStuck(next) : undefined;
    },
    place(activityId, { variables }): Place {
      const found = standAt(compiled, activityId, variables);
      return found === undefined
        ? { id: activityId, name: activityId, steps: [], loops: [], gates: [] }
        : placeOf(found);
    },
  };
}

function placeOf({ instanceId, node, context }: StepFound): Place {
  const { title, validationCriteria, approver = 'any' } = node.step;
  const confirms = typeof node.confirms === 'boolean' ? node.confirms : evaluate(node.confirms, context);
  const step = {
    id: instanceId,
    required: true,
    ...(confirms ? { checkpoint: confirmGate } : {}),
    ...(validationCriteria === undefined ? {} : { criteria: validationCriteria }),
  };
  const gate: Gate = {
    id: confirmGate,
    name: `Confirm: ${title}`,
    message: `Confirm the outcome of '${title}', or have it revised.`,
    options: [
      { id: 'confirm', label: 'Confirm' },
      { id: 'revise', label: 'Revise', description: 'The step stays current and is confirmed again.' },
    ],
    approver,
  };
  return { id: instanceId, name: title, steps: [step], loops: [], gates: confirms ? [gate] : [] };
}
