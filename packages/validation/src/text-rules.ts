import { compilePattern, showValue } from '@workflowlookup/conditions';
import type { JsonObject } from '@workflowlookup/schema';
import { spend } from '@workflowlookup/schema';
import type { Subject, Test } from './check.ts';
import type { Meters } from './meter.ts';
import type { Report } from './rule-reader.ts';

/** `contains`: the output has this text in it, as it is written. */
export function readContains({ value }: JsonObject, report: Report): Test | undefined {
  if (typeof value !== 'string') {
    const suggestion = 'Add "value" with the text to look for.';
    report({
      field: 'value',
      message: `A contains rule needs a string "value", found ${showValue(value)}.`,
      suggestion,
    });
    return undefined;
  }
  const remedies = [`Include ${JSON.stringify(value)}.`];
  return ({ output, meter }) => {
    // A search for a periodic text may take as many steps as both lengths multiplied.
    spend(meter, (output.length * (value.length + 4)) / 16);
    return output.includes(value) ? undefined : remedies;
  };
}

/** `regex`: the pattern is found in the output. */
export function readRegex(
  { pattern, flags = '' }: JsonObject,
  report: Report,
  { compile }: Meters,
): Test | undefined {
  if (typeof pattern !== 'string') {
    const suggestion = 'Add "pattern" with a pattern in RE2 syntax.';
    report({
      field: 'pattern',
      message: `A regex rule needs a string "pattern", found ${showValue(pattern)}.`,
      suggestion,
    });
    return undefined;
  }
  if (typeof flags !== 'string') {
    report({
      field: 'flags',
      message: `"flags" is a string, found ${showValue(flags)}.`,
      suggestion: 'Write flags out of imsug.',
    });
    return undefined;
  }
  const compiled = compilePattern(pattern, flags, compile);
  if (!compiled.ok) {
    const field = compilePattern(pattern, '', compile).ok ? 'flags' : 'pattern';
    report({
      field,
      message: compiled.message,
      suggestion: 'Write a pattern in RE2 syntax, with flags out of imsug.',
    });
    return undefined;
  }
  const remedies = [`Write something that matches the pattern ${pattern}`];
  return ({ output, meter }) => {
    spend(meter, compiled.size * output.length);
    return compiled.test(output) ? undefined : remedies;
  };
}

/** `length`: the output has at least `min` and at most `max` UTF-16 units. */
export function readLength({ min, max }: JsonObject, report: Report): Test | undefined {
  const [least, most] = [boundOf(min, 'min', report), boundOf(max, 'max', report)];
  return ({ output: { length } }: Subject) => {
    const remedies: string[] = [];
    if (least !== undefined && length < least)
      remedies.push(`Add at least ${characters(least - length, 'more ')}.`);
    if (most !== undefined && length > most) remedies.push(`Remove at least ${characters(length - most)}.`);
    return remedies.length === 0 ? undefined : remedies;
  };
}

function boundOf(value: unknown, field: string, report: Report): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  const message = `"${field}" is a whole number of characters, found ${showValue(value)}.`;
  report({ field, message, suggestion: 'Write a whole number, 0 or more.' });
  return undefined;
}

function characters(count: number, more = ''): string {
  return `${count} ${more}character${count === 1 ? '' : 's'}`;
}
