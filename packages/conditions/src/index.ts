export { checkActivityConditions } from './check-activity-conditions.ts';
export { checkConditions } from './check-conditions.ts';
export type {
  Comparison,
  Condition,
  ConditionIssue,
  Context,
  ParsedCondition,
  Variable,
} from './condition.ts';
export { describeCondition } from './describe-condition.ts';
export { evaluate } from './evaluate.ts';
export { lookUp } from './look-up.ts';
export { namesInCondition } from './names-in-condition.ts';
export { neverHolds } from './never-holds.ts';
export type { Operand } from './operand.ts';
export { parseCondition } from './parse-condition.ts';
export { compilePattern } from './pattern.ts';
export type { CompiledPattern, Pattern } from './pattern.ts';
export { showValue } from './show-value.ts';
export { undecided } from './undecided.ts';
export { variablesOf } from './variables-of.ts';
