import { didYouMean } from './did-you-mean.ts';
import { maxIssues } from './limits.ts';

/**
 * Suggests candidates for words that are none. Only for as many words as a list of issues has room for: each is
 * compared with every candidate.
 */
export function createSuggester(
  candidates: ReadonlySet<string>,
): (word: string, otherwise: string) => string {
  let left = maxIssues;
  return (word, otherwise) => {
    left -= 1;
    const meant = left < 0 ? undefined : didYouMean(word, candidates);
    return meant === undefined ? otherwise : `Did you mean '${meant}'?`;
  };
}
