import type { WaitingGate } from '../contract.ts';

type ShownValue = WaitingGate['question']['values'][number];

const words: Readonly<Record<ShownValue['by'], string>> = {
  agent: 'written by the agent',
  checkpoint: 'set by an answer',
  action: 'set by an action or a loop',
  mode: 'set by a mode of the workflow',
  default: 'default of the workflow',
  trigger: 'handed on by the parent run',
  unknown: 'author not recorded',
};

/** Who gave a variable its value. */
export function setterWords({
  by,
  checkpoint,
  person,
}: Pick<ShownValue, 'by' | 'checkpoint' | 'person'>): string {
  const which = checkpoint === undefined ? '' : ` to ${checkpoint}`;
  return `${words[by]}${which}${person === undefined ? '' : ` of ${person}`}`;
}
