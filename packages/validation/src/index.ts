export { checkActivityCriteria, checkCriteria } from './check-criteria.ts';
export { describeCriteria } from './describe-criteria.ts';
export { compileCriteria, createValidationEngine, judge } from './validation-engine.ts';
export type { CompiledCriteria, ValidationEngine, Verdict } from './validation-engine.ts';
export { schemaOfFields, judgeFields } from './fields/check-fields.ts';
export type { JudgedFields } from './fields/check-fields.ts';
export { readFields } from './fields/read-fields.ts';
export type { FieldReading } from './fields/read-fields.ts';
