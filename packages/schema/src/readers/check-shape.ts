import type { Severity } from '../findings/finding.ts';
import { describePlace } from '../findings/finding.ts';
import type { SchemaError, Validator } from '../generated/validate-step-workflow.js';
import { escapePointer } from '../json.ts';
import { maxIssues } from '../limits.ts';
import { explainMissing, explainUnknown, explainValue, repeatedItem } from '../messages/shape.ts';
import { messages } from '../messages/workflow.ts';
import type { TextFinding } from '../text/parsed-text.ts';

/**
 * Returns one finding for every place where a document violates its JSON Schema. `unknown` is the severity of unknown
 * properties.
 */
export function checkShape(
  document: unknown,
  validate: Validator,
  unknown: Severity = 'error',
): readonly TextFinding[] {
  if (validate(document)) return [];
  const severityOf = ({ keyword }: SchemaError): Severity =>
    keyword === 'additionalProperties' ? unknown : 'error';
  const isWarning = (error: SchemaError): boolean => severityOf(error) === 'warning';
  const errors = validate.errors ?? [];
  const all = firstErrors([...errors.filter((error) => !isWarning(error)), ...errors.filter(isWarning)]);
  const found = all
    .slice(0, maxIssues)
    .map((error) => ({ ...toFinding(error, document), severity: severityOf(error) }));
  const next = all[maxIssues];
  return next === undefined ? found : [...found, moreFindings({ severity: severityOf(next) })];
}

/** Returns a finding that stands for the findings a list leaves out, as severe as the worst of them. */
export function moreFindings({ severity, served }: Pick<TextFinding, 'severity' | 'served'>): TextFinding {
  return {
    severity,
    code: 'unlisted',
    pointer: '',
    message: messages.moreProblems(),
    ...(served && { served }),
  };
}

/**
 * Keeps the first error for each place and property, at most one more than is listed. Drops errors that only say that a
 * branch didn't match.
 */
function firstErrors(errors: readonly SchemaError[]): readonly SchemaError[] {
  const kept = new Map<string, SchemaError>();
  for (const error of errors) {
    if (error.keyword === 'if' || error.schemaPath.includes('/oneOf/')) continue;
    const key = `${error.instancePath} ${propertyOf(error) ?? ''}`;
    if (!kept.has(key)) kept.set(key, error);
    if (kept.size > maxIssues) break;
  }
  return [...kept.values()];
}

/** Returns the property that an error is about, if its place is the object around it. */
function propertyOf({ params }: SchemaError): string | undefined {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return typeof name === 'string' ? name : undefined;
}

function toFinding(error: SchemaError, document: unknown): Omit<TextFinding, 'severity'> {
  const { instancePath: pointer, keyword, params } = error;
  const place = describePlace(document, pointer);
  const property = propertyOf(error) ?? '';
  if (keyword === 'required')
    return { code: 'missing-property', pointer, ...explainMissing(error, property, place) };
  if (keyword === 'additionalProperties') {
    const at = `${pointer}/${escapePointer(property)}`;
    return { code: 'unknown-property', pointer: at, atKey: true, ...explainUnknown(error, property, place) };
  }
  const explained = explainValue(error, place);
  if (keyword !== 'uniqueItems') return { code: 'wrong-value', pointer, ...explained };
  const item = `${pointer}/${repeatedItem(params).later}`;
  return { code: 'repeated-item', pointer: item, ...explained };
}
