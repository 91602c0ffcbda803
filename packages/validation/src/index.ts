export { checkActivityCriteria } from './check-activity-criteria.ts';
export { checkCriteria } from './check-criteria.ts';
export { compileCriteria } from './compile-criteria.ts';
export type { CompiledCriteria } from './compiled-criteria.ts';
export { describeCriteria } from './describe-criteria.ts';
export { judge, maxOutputBytes } from './judge.ts';
export { createValidationEngine } from './validation-engine.ts';
export type { ValidationEngine } from './validation-engine.ts';
export type { Verdict } from './verdict.ts';
