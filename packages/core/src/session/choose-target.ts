import type { Move, Navigator, Whereabouts } from './navigator.ts';

/** Words that end a session, where the workflow has no activity of that name. */
export const endWords: ReadonlySet<string> = new Set(['end', 'end-workflow', 'complete']);

/** What a session is to move to: an activity, or the end. */
export type Target = { readonly kind: 'activity'; readonly id: string } | { readonly kind: 'end' };

/** Whether a word means the end in this workflow. */
export function meansEnd(navigator: Navigator, word: string): boolean {
  return endWords.has(word) && !navigator.has(word);
}

/** The target a word names. */
export function targetOf(navigator: Navigator, word: string): Target {
  return meansEnd(navigator, word) ? { kind: 'end' } : { kind: 'activity', id: word };
}

/**
 * Where the first legal way leads. A skipped activity is passed over along its own ways; where none is left, that is
 * the end.
 */
export function firstTarget(navigator: Navigator, at: Whereabouts, skipped: ReadonlySet<string>): Target {
  let here = at;
  for (let passed = 0; passed <= skipped.size; passed += 1) {
    const move = navigator.moves(here).find(({ holds }) => holds);
    if (move === undefined) return { kind: 'end' };
    const target = targetOf(navigator, move.target);
    if (target.kind === 'end' || !skipped.has(target.id)) return target;
    here = { ...here, current: target.id };
  }
  return { kind: 'end' };
}

/** The moves as people read them. */
export function describeMoves(moves: readonly Move[]): string {
  return moves.length === 0
    ? 'none: the workflow ends here'
    : moves.map(({ target, when }) => `${target} (${when})`).join(', ');
}
