export { checkActivityConditions, checkConditions, undecided } from './check-conditions.ts';
export type {
  Comparison,
  Condition,
  ConditionIssue,
  Context,
  ParsedCondition,
  Variable,
  Operand,
} from './condition.ts';
export {
  comparisonsIn,
  describeCondition,
  namesInCondition,
  variablesOf,
  parseCondition,
} from './parse-condition.ts';
export { evaluate, lookUp } from './condition.ts';
export { compilePattern } from './pattern.ts';
export type { CompiledPattern, Pattern } from './pattern.ts';
export { showValue } from './messages.ts';
