import type { Answer, AnswerOrigin } from '@workflowlookup/core';
import { plainLine } from '../plain-text.ts';

/** An answer in a word or two. */
export function answerText(answer: Answer): string {
  switch (answer.kind) {
    case 'option':
      return plainLine(answer.option);
    case 'auto-advance':
      return `${plainLine(answer.option)} (by its timer)`;
    case 'dismissed':
      return 'dismissed';
  }
}

/** Who answered. */
export function answererText({ by, person }: { readonly by: string; readonly person?: string }): string {
  if (by === 'agent') return 'the agent';
  return person === undefined ? 'a person' : plainLine(person);
}

/** How an answer came, and who vouches for it. */
export function originText({ channel, principal, credential, assurance }: AnswerOrigin): string {
  const worth: Readonly<Record<AnswerOrigin['assurance'], string>> = {
    agent: 'passed on by the agent',
    client: "asked by the agent's client",
    account: 'from an account',
  };
  return [
    `through ${channel}`,
    worth[assurance],
    ...(principal === undefined ? [] : [`principal ${plainLine(principal)}`]),
    ...(credential === undefined ? [] : [`credential ${plainLine(credential)}`]),
  ].join(', ');
}
