import type { Finding } from './issue.ts';
import { isAskedForIn, isNamedIn, isWord, lookingKeys, textsIn } from './variable-words.ts';

/** A variable that is declared. */
export interface DeclaredVariable {
  readonly name: string;
  /** Whether it has a value from the start: a default, or that of a caller who has to give one. */
  readonly isGiven: boolean;
  /** JSON pointer of its declaration. */
  readonly pointer: string;
}

/** A variable that a text shows. */
export interface ShownVariable {
  readonly root: string;
  readonly pointer: string;
  /** The text in words: `'prompt' of step 'plan'`. */
  place(): string;
}

/** What a workflow says of its variables, beside where it declares them. */
export interface VariableUses {
  /** Whatever may look at variables, or ask to set them: values with texts in them. */
  readonly anywhere: readonly unknown[];
  /** Texts beside the definition that may do so too. */
  readonly texts: readonly string[];
  /** Names that are set where no text names them: keys of answers and modes, targets of actions, usual names in loops. */
  readonly set: ReadonlySet<string>;
}

/** Ids are no names of variables. */
const ids: readonly string[] = ['id', '$schema'];

/** Variables that are declared and that nothing looks at: neither a condition, nor a loop, nor any text. */
export function unusedVariables(
  declared: readonly DeclaredVariable[],
  { anywhere, texts, set }: VariableUses,
): readonly Finding[] {
  const all = [...textsIn(anywhere, new Set(ids)), ...texts];
  return declared
    .filter(({ name }) => isWord(name) && !isNamedIn(all, name))
    .map(({ name, pointer }): Finding => ({
      severity: 'warning',
      code: 'unused-variable',
      pointer,
      message: `Nothing looks at variable '${name}'${set.has(name) ? ', which is set' : ''}`,
      suggestion: 'Remove it, or let a condition or a text look at it',
    }));
}

/** Variables that a text shows and that can't be set by then: nothing gives them a value, and no text names them but to show them. */
export function* unsetVariables<Shown extends ShownVariable>(
  declared: readonly DeclaredVariable[],
  shown: Iterable<Shown>,
  { anywhere, texts, set }: VariableUses,
): Generator<{ readonly finding: Finding; readonly shown: Shown }> {
  const all = [...textsIn(anywhere, new Set([...ids, ...lookingKeys])), ...texts];
  const unset = new Set(
    declared
      .filter(({ name, isGiven }) => !isGiven && isWord(name) && !set.has(name) && !isAskedForIn(all, name))
      .map(({ name }) => name),
  );
  if (unset.size === 0) return;
  for (const one of shown) {
    const { root, pointer } = one;
    if (!unset.has(root)) continue;
    const message = `Nothing sets '${root}', which ${one.place()} shows`;
    const suggestion = `Let a step before it name '${root}' as to be set, give it a default, or declare it with required: true`;
    yield {
      shown: one,
      finding: { severity: 'warning', code: 'unset-variable', pointer, message, suggestion },
    };
  }
}
