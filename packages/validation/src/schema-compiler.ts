import { compilePattern } from '@workflowlookup/conditions';
import type { JsonObject, Meter } from '@workflowlookup/schema';
import { spend } from '@workflowlookup/schema';
import type { Draft } from './draft.ts';
import type { Ajv, Options, ValidateFunction } from 'ajv';
import { meteredFormat } from './metered-formats.ts';
import { priceDefinition, uniqueItemsDefinition } from './metered-keywords.ts';
import { meteredSchema } from './metered-schema.ts';

/** What is wrong with a schema by the metaschema of its draft: where, and what was expected. */
export async function malformation(
  schema: JsonObject,
  draft: Draft,
): Promise<{ readonly pointer: string; readonly message: string } | undefined> {
  metaschemas[draft] ??= createAjv(draft, { strict: false, logger: false, validateFormats: false });
  const ajv = await metaschemas[draft];
  if (ajv.validateSchema({ ...schema, $schema: metaschemaOf(ajv) }) === true) return undefined;
  const [error] = ajv.errors ?? [];
  return { pointer: error?.instancePath ?? '', message: error?.message ?? 'must be a JSON Schema' };
}

/** A validator whose every step is paid for; `pattern` runs in linear time. Throws what Ajv throws. */
export async function compileSchema(
  schema: JsonObject,
  draft: Draft,
  meter: Meter,
): Promise<ValidateFunction> {
  const regExp = Object.assign((pattern: string) => meteredPattern(pattern, meter), {
    code: 'compilePattern',
  });
  const ajv = await createAjv(draft, {
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    // A schema inlined wherever it is referred to would multiply the code.
    inlineRefs: false,
    ownProperties: true,
    code: { regExp, optimize: false },
  });
  const { _, addFormats } = await import('./ajv-library.ts');
  addFormats(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (format !== undefined) ajv.formats[name] = meteredFormat(format, meter);
  }
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItemsDefinition(meter));
  ajv.addKeyword(priceDefinition(meter, draft, _));
  return ajv.compile(meteredSchema(schema));
}

const metaschemas: Partial<Record<Draft, Promise<Ajv>>> = {};

function metaschemaOf(ajv: Ajv): string {
  const meta = ajv.defaultMeta();
  return typeof meta === 'string' ? meta : '';
}

async function createAjv(draft: Draft, options: Options): Promise<Ajv> {
  const { Ajv, Ajv2019, Ajv2020 } = await import('./ajv-library.ts');
  if (draft === 'draft-07') return new Ajv(options);
  return draft === '2019-09' ? new Ajv2019(options) : new Ajv2020(options);
}

// Ajv keeps one search for all patterns of the same text.
function meteredPattern(
  pattern: string,
  meter: Meter,
): { test: (text: string) => boolean; toString: () => string } {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  const test = (text: string): boolean => {
    spend(meter, 50 + compiled.size * text.length);
    return compiled.test(text);
  };
  return { test, toString: () => pattern };
}
