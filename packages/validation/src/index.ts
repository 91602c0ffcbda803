export { checkActivityCriteria, checkCriteria } from './check-criteria.ts';
export { describeCriteria } from './read-criteria.ts';
export { compileCriteria, createValidationEngine, judge } from './validation-engine.ts';
export type { CompiledCriteria, ValidationEngine, Verdict } from './validation-engine.ts';
export { schemaOfFields, judgeFields, readFields } from './fields.ts';
export type { JudgedFields, FieldReading } from './fields.ts';
