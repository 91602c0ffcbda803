import type { RunnableSession } from '../session-engine/open-session.ts';
import { policyFor } from '../session/command.ts';
import { decide } from '../session/decide.ts';
import { endKeyword, sessionPosition } from '../session/evaluate-move.ts';
import { evolve } from '../session/evolve.ts';
import { nextCalls } from '../session/status.ts';
import type { OperatorParts } from './load-session.ts';
import { nowOf } from '../session-engine/parts.ts';

/** Where a session can go once its checkpoint is answered with an option, as far as that is decided already. */
export interface OptionOutcome {
  /** The id of the option. */
  readonly option: string;
  /** The activities that can come next, the recommended one first. Empty if later values decide, or the session stays. */
  readonly next: readonly { readonly id: string; readonly name: string }[];
  /** The session can end. */
  readonly canEnd?: true;
}

/** Returns the outcome of each option of the open checkpoint. It decides on each answer as if a person gave it now. */
export function optionOutcomes(
  parts: Pick<OperatorParts, 'policy' | 'now'>,
  { state, runnable: { navigator } }: Pick<RunnableSession, 'state' | 'runnable'>,
  options: readonly { readonly id: string }[],
): readonly OptionOutcome[] {
  const nowMs = nowOf(parts);
  const { gates, minResponseMs, enforcement } = policyFor(state, parts.policy);
  return options.flatMap(({ id }) => {
    const decision = decide(
      state,
      { kind: 'answer', mode: { kind: 'option', option: id }, by: 'human', note: '…' },
      { navigator, nowMs, gates, minResponseMs, enforcement, judge: () => undefined },
    );
    if (!decision.ok) return [];
    const after = evolve(state, { at: new Date(nowMs).toISOString(), event: decision.event });
    const end = endKeyword(navigator, sessionPosition(after, navigator, {}, { gates }));
    const targets = nextCalls(after, navigator, gates).flatMap((call) =>
      call.kind === 'move' && call.activity !== undefined ? [call.activity] : [],
    );
    const next = targets
      .filter((target) => target !== end)
      .map((target) => ({ id: target, name: navigator.place(target, after).name }));
    const canEnd = end !== undefined && targets.includes(end);
    return [{ option: id, next, ...(canEnd ? { canEnd: true as const } : {}) }];
  });
}
