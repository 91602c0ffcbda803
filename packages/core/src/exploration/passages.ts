import { accountFor } from '../session/account-for.ts';
import { wordOfEnd } from '../session/choose-target.ts';
import type { Circumstances, SessionCommand } from '../session/command.ts';
import { decide } from '../session/decide.ts';
import { evolve } from '../session/evolve.ts';
import type { Navigator, Place } from '../session/navigator.ts';
import type { NextCall } from '../session/next-calls.ts';
import { nextCalls } from '../session/next-calls.ts';
import { openCheckpoints } from '../session/open-checkpoints.ts';
import { consider } from '../session/prospect.ts';
import type { ManifestEntry } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import { whereabouts } from '../session/whereabouts.ts';
import { gatesInTurn } from './gates-in-turn.ts';
import type { Passage } from './terrain.ts';

/** Nothing in exploration depends on when it happens. */
export const timeless = '1970-01-01T00:00:00.000Z';

/** Every step that an agent and a person can take from a state, with work that is accepted. */
export function* passagesFrom(navigator: Navigator, before: SessionState): Generator<Passage> {
  const at = circumstances(navigator);
  for (const command of commandsAt(navigator, before)) {
    const decision = decide(before, command, at);
    if (!decision.ok) continue;
    const { event } = decision;
    yield { before, command, event, after: evolve(before, { at: timeless, event }) };
  }
}

/** Why no step can be taken from a state. */
export function reasonOfStop(navigator: Navigator, state: SessionState): string {
  const at = circumstances(navigator);
  const decisions = commandsAt(navigator, state).map((command) => decide(state, command, at));
  const refused = decisions.find((decision) => !decision.ok);
  return refused === undefined || refused.ok ? 'No call is legal.' : refused.refusal.message;
}

/** Why a state can't be left by a move though no checkpoint is due: every move is refused. */
export function reasonToStay(navigator: Navigator, state: SessionState): string | undefined {
  const { work } = consider(state, { kind: 'move' }, navigator);
  if (work === undefined || openCheckpoints(state, work.place, work.account).length > 0) return undefined;
  const at = circumstances(navigator);
  const moves = commandsAt(navigator, state).filter(({ kind }) => kind === 'move');
  const refused = moves.flatMap((command) => {
    const decision = decide(state, command, at);
    return decision.ok ? [] : [decision.refusal.message];
  });
  return refused.length < moves.length ? undefined : refused[0];
}

function circumstances(navigator: Navigator): Circumstances {
  return { navigator, nowMs: 0, minResponseMs: 0, gates: 'declared', judge: () => undefined };
}

function commandsAt(navigator: Navigator, state: SessionState): readonly SessionCommand[] {
  const calls = nextCalls(state, navigator, 'declared');
  const gates = calls.flatMap((call) => (call.kind === 'yield' ? call.checkpoint : []));
  const yielded = new Set(gatesInTurn(navigator, state, gates));
  const inTurn = calls.filter((call) => call.kind !== 'yield' || yielded.has(call.checkpoint));
  return inTurn.flatMap((call) => commandsFor(call, navigator, state));
}

function commandsFor(call: NextCall, navigator: Navigator, state: SessionState): readonly SessionCommand[] {
  switch (call.kind) {
    case 'answer':
      return call.options.map((option) => ({
        kind: 'answer',
        mode: { kind: 'option', option },
        by: 'human',
      }));
    case 'yield':
      return [{ kind: 'yield', checkpointId: call.checkpoint }];
    case 'move':
      return movesFor(call, navigator, state);
    case 'present':
    case 'read-activity':
      return [];
  }
}

function movesFor(
  { activity, undecided }: Extract<NextCall, { kind: 'move' }>,
  navigator: Navigator,
  state: SessionState,
): readonly SessionCommand[] {
  const here = whereabouts(state, navigator);
  const target = activity ?? (undecided === undefined ? undefined : wordOfEnd(navigator, here));
  const named = target === undefined ? {} : { activityId: target };
  if (state.current === undefined) return [{ kind: 'move', ...named }];
  const place = navigator.place(state.current, here);
  return manifestsOf(place).map((manifest) => ({ kind: 'move', ...named, manifest }));
}

/** What is due, and where there is more that could be done, all of it. */
function manifestsOf(place: Place): readonly (readonly ManifestEntry[])[] {
  const { due, open } = accountFor(place);
  const least = due.map(({ id }) => id);
  const all = open.map(({ id }) => id);
  // A loop that ends by a condition may have had an iteration before that.
  const once = place.loops
    .filter(({ id, type }) => type !== 'forEach' && !all.some((name) => name.startsWith(`${id}@`)))
    .flatMap(({ id, steps }) => steps.map((step) => `${id}@0::${step.id}`));
  const most = [...all, ...once];
  return most.length === least.length ? [manifestOf(least)] : [manifestOf(least), manifestOf(most)];
}

function manifestOf(ids: readonly string[]): readonly ManifestEntry[] {
  return ids.map((id) => ({ step_id: id, output: 'Done.' }));
}
