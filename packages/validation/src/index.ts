export { checkActivityCriteria, checkCriteria } from './check-criteria.ts';
export { compileCriteria } from './compile-criteria.ts';
export type { CompiledCriteria } from './compile-criteria.ts';
export { describeCriteria } from './describe-criteria.ts';
export { judge, createValidationEngine } from './validation-engine.ts';
export type { ValidationEngine, Verdict } from './validation-engine.ts';
