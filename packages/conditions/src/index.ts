export { checkActivityConditions, checkConditions } from './check-conditions.ts';
export type {
  Comparison,
  Condition,
  ConditionIssue,
  Context,
  ParsedCondition,
  Variable,
  Operand,
} from './condition.ts';
export { describeCondition, namesInCondition, variablesOf } from './describe-condition.ts';
export { evaluate } from './evaluate.ts';
export { lookUp } from './condition.ts';
export { undecided } from './never-holds.ts';
export { parseCondition } from './parse-condition.ts';
export { compilePattern } from './pattern.ts';
export type { CompiledPattern, Pattern } from './pattern.ts';
export { showValue } from './messages.ts';
