import type { Meter } from '@workflowlookup/schema';
import { spend } from '@workflowlookup/schema';
import type { Ajv } from 'ajv';

/** A format as Ajv keeps it. */
type AddedFormat = NonNullable<Ajv['formats'][string]>;

// Some format expressions take as many steps as the square of the length.
const maxFormattedLength = 8192;

/** A format that is paid for; no string longer than 8,192 units has one. Formats of numbers stay as they are. */
export function meteredFormat(format: AddedFormat, meter: Meter): AddedFormat {
  const test = testOf(format);
  if (test === undefined) return format;
  return (text: string) => {
    if (text.length > maxFormattedLength) return false;
    spend(meter, 50 + text.length ** 2 / 32);
    return test(text);
  };
}

function testOf(format: AddedFormat): ((text: string) => boolean) | undefined {
  if (format === true) return undefined;
  if (typeof format === 'function') return format;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (format.async === true || format.type === 'number') return undefined;
  const { validate } = format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  return typeof validate === 'string'
    ? undefined
    : (text) => Reflect.apply(validate, undefined, [text]) === true;
}
