import type { Repair } from '@workflowlookup/schema';
import type { Operand } from './operand.ts';
import type { Pattern } from './pattern.ts';

/** The variables a condition is judged by. Only own enumerable keys count. */
export type Context = Readonly<Record<string, unknown>>;

/** A variable as a condition names it. */
export interface Variable {
  readonly name: string;
  /** The name split at its dots, for when the context has no key of that name. */
  readonly path: readonly string[];
}

/** A test of one variable. */
export type Comparison =
  | { readonly kind: 'truthy' | 'exists'; readonly variable: Variable }
  | { readonly kind: 'equals'; readonly variable: Variable; readonly operand: Operand }
  | { readonly kind: 'in'; readonly variable: Variable; readonly operands: readonly Operand[] }
  | { readonly kind: 'gt' | 'gte' | 'lt' | 'lte'; readonly variable: Variable; readonly bound: number }
  | {
      readonly kind: 'contains';
      readonly variable: Variable;
      /** What a member of an array equals. */
      readonly operand: Operand;
      /** What a string contains, trimmed and in lower case; absent when strings can't contain it. */
      readonly text: string | undefined;
    }
  | { readonly kind: 'startsWith' | 'endsWith'; readonly variable: Variable; readonly text: string }
  | { readonly kind: 'matches'; readonly variable: Variable; readonly pattern: Pattern };

/** A condition after parsing: every dialect comes down to these nodes (docs/authoring.md#conditions). */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | Comparison;

/** What keeps a source from being a condition. */
export interface ConditionIssue {
  /** JSON pointer inside the condition; `''` is the condition itself. */
  readonly pointer: string;
  /** What was found and what was expected; inside a `when` string with the column, from 1. */
  readonly message: string;
  /** What would do, as an instruction. */
  readonly suggestion?: string;
  /** What puts it right for sure. */
  readonly repair?: Repair;
}

/** A condition, or everything that is wrong with its source. */
export type ParsedCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly issues: readonly ConditionIssue[] };
