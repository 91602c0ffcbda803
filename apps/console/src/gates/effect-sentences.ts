import type { GateAnswered } from '../contract.ts';

/** What an answer brings about, a sentence for each part. */
export function effectSentences(effect: GateAnswered['effect']): readonly string[] {
  if (effect === undefined) return [];
  const { setVariable = {}, transitionTo, skipActivities = [] } = effect;
  return [
    ...Object.entries(setVariable).map(([name, value]) => `Sets ${name} to ${JSON.stringify(value)}.`),
    ...(transitionTo === undefined ? [] : [`Goes on with ${transitionTo}.`]),
    ...(skipActivities.length === 0 ? [] : [`Skips ${skipActivities.join(', ')}.`]),
  ];
}
