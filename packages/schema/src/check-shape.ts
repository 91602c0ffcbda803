import { describePlace } from './describe-place.ts';
import type { SchemaError, Validator } from './generated/validate-step-workflow.js';
import type { Severity } from './issue.ts';
import { escapePointer } from './json-pointer.ts';
import { maxIssues } from './limits.ts';
import type { Found } from './parsed-text.ts';
import { explainMissing, explainUnknown, explainValue, repeatedItem } from './shape-messages.ts';

/**
 * Every place where a document is not what its JSON Schema says, one message for each. `unknown` is how bad a property
 * is that the schema does not know.
 */
export function checkShape(
  document: unknown,
  validate: Validator,
  unknown: Severity = 'error',
): readonly Found[] {
  if (validate(document)) return [];
  const [strange, wrong] = partition(validate.errors ?? [], unknown);
  return [...list(wrong, document, 'error'), ...list(strange, document, unknown)];
}

/** Errors about unknown properties apart from the others, where they count less. */
function partition(
  errors: readonly SchemaError[],
  unknown: Severity,
): readonly [strange: readonly SchemaError[], wrong: readonly SchemaError[]] {
  if (unknown === 'error') return [[], errors];
  const isStrange = ({ keyword }: SchemaError): boolean => keyword === 'additionalProperties';
  return [errors.filter(isStrange), errors.filter((error) => !isStrange(error))];
}

function list(errors: readonly SchemaError[], document: unknown, severity: Severity): readonly Found[] {
  const all = folded(errors);
  const found = all.slice(0, maxIssues).map((error) => ({ ...translate(error, document), severity }));
  return all.length > maxIssues ? [...found, unlisted({ severity })] : found;
}

/** Stands for the findings a list leaves out; as bad as the worst of them. */
export function unlisted({ severity, served }: Pick<Found, 'severity' | 'served'>): Found {
  const message = `More than ${maxIssues} problems: the others are not listed`;
  return { severity, code: 'unlisted', pointer: '', message, ...(served && { served }) };
}

/** The first error of each place and property, at most one more than is listed, and none that only says that a branch did not match. */
function folded(errors: readonly SchemaError[]): readonly SchemaError[] {
  const kept = new Map<string, SchemaError>();
  for (const error of errors) {
    if (error.keyword === 'if' || error.schemaPath.includes('/oneOf/')) continue;
    const key = `${error.instancePath} ${propertyOf(error) ?? ''}`;
    if (!kept.has(key)) kept.set(key, error);
    if (kept.size > maxIssues) break;
  }
  return [...kept.values()];
}

/** The property an error is about, where its place is the object around it. */
function propertyOf({ params }: SchemaError): string | undefined {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return typeof name === 'string' ? name : undefined;
}

function translate(error: SchemaError, document: unknown): Omit<Found, 'severity'> {
  const { instancePath: pointer, keyword, params } = error;
  const place = describePlace(document, pointer);
  const property = propertyOf(error) ?? '';
  if (keyword === 'required')
    return {
      code: 'missing-property',
      pointer,
      ...explainMissing(error, property, place),
    };
  if (keyword === 'additionalProperties') {
    const at = `${pointer}/${escapePointer(property)}`;
    return {
      code: 'unknown-property',
      pointer: at,
      atKey: true,
      ...explainUnknown(error, property, place),
    };
  }
  const explained = explainValue(error, place);
  if (keyword !== 'uniqueItems') return { code: 'wrong-value', pointer, ...explained };
  const item = `${pointer}/${repeatedItem(params).later}`;
  return { code: 'repeated-item', pointer: item, ...explained };
}
