import { distance } from 'fastest-levenshtein';

/** Whether a word differs from another by no more than a slip: case, dashes, one letter, two of a long word, two swapped. */
export function isSlipOf(word: string, meant: string): boolean {
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
  if (bare(word) === bare(meant)) return true;
  const letters = (text: string): string => [...text].toSorted().join('');
  const most = meant.length >= 8 || letters(word) === letters(meant) ? 2 : 1;
  return meant.length >= 4 && distance(word, meant) <= most;
}

/**
 * The candidate a writer most likely meant by `word`, or `undefined` when none is near enough.
 * Case does not count; two letters in five may differ, at least one and at most three. The first of equals wins.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let fewest = Math.min(3, Math.max(1, Math.floor(wanted.length * 0.4))) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}
