import { showValue } from '@workflowlookup/conditions';
import type { Criteria, Finding, Rule } from '@workflowlookup/schema';
import { didYouMean, isJsonObject, toPointer } from '@workflowlookup/schema';
import { isKnownKeyword, knownKeywords } from './schema-keywords.ts';
import { mapSchema } from './map-schema.ts';
import { isMeasured } from './measure-schema.ts';

/** Warnings about rules that can be used but are hardly meant, at any depth of criteria. */
export function doubtsOf(criteria: Criteria, pointer: string): readonly Finding[] {
  if (typeof criteria === 'string') return [];
  if ('type' in criteria) return ruleDoubts(criteria, pointer);
  if ('and' in criteria) return doubtsOf(criteria.and, `${pointer}/and`);
  if ('or' in criteria) return doubtsOf(criteria.or, `${pointer}/or`);
  if ('not' in criteria) return doubtsOf(criteria.not, `${pointer}/not`);
  return criteria.flatMap((member, at) => doubtsOf(member, `${pointer}/${at}`));
}

function ruleDoubts(rule: Rule, pointer: string): readonly Finding[] {
  if (rule.type === 'schema') return keywordDoubts(rule.schema, `${pointer}/schema`);
  if (rule.type !== 'length') return [];
  const { min, max } = rule;
  if (min !== undefined || max !== undefined) return [];
  return [
    warning(pointer, 'A length rule without "min" and "max" passes every output.', 'Add "min" or "max".'),
  ];
}

function keywordDoubts(schema: unknown, pointer: string): readonly Finding[] {
  if (!isJsonObject(schema) || !isMeasured(schema)) return [];
  const findings: Finding[] = [];
  mapSchema(schema, (part, place) => {
    for (const keyword of Object.keys(part)) {
      if (!isKnownKeyword(keyword)) findings.push(unknownKeyword(keyword, pointer + place));
    }
    return part;
  });
  return findings;
}

function unknownKeyword(keyword: string, pointer: string): Finding {
  const near = didYouMean(keyword, knownKeywords);
  const suggestion = near === undefined ? 'Remove it.' : `Did you mean "${near}"?`;
  return warning(
    pointer + toPointer([keyword]),
    `Unknown JSON Schema keyword ${showValue(keyword)}: it has no effect.`,
    suggestion,
  );
}

function warning(pointer: string, message: string, suggestion: string): Finding {
  return { severity: 'warning', code: 'doubtful-criteria', pointer, message, suggestion };
}
