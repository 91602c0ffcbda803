import type { Document } from 'yaml';
import { maxDefinitionValues, maxDepth } from './limits.ts';
import { refused, tooDeep, tooManyValues } from './parsed-text.ts';
import type { ParsedText, Refusal } from './parsed-text.ts';
import { describePosition } from './text-position.ts';
import { locateInYaml } from './yaml-tree.ts';
import { toValue } from './yaml-values.ts';

const options = {
  schema: 'core',
  version: '1.2',
  merge: false,
  resolveKnownTags: false,
  // Duplicate keys are found with the values; the library's own check is quadratic.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Parses one document of YAML 1.2, core schema. `yaml` is loaded with the first one. */
export async function readYaml(text: string): Promise<ParsedText> {
  const yaml = await import('./yaml-library.ts');
  const composed = compose(text, yaml);
  if (!('contents' in composed)) return refused(composed);
  return {
    ...toValue(composed, text, yaml),
    locator: () => Promise.resolve(locateInYaml(composed, yaml)),
  };
}

/** Composes token by token, so that a hostile text is refused before the library has built all of it. */
function compose(
  text: string,
  { Composer, Lexer, Parser }: typeof import('./yaml-library.ts'),
): Document.Parsed | Refusal {
  const parser = new Parser();
  const composer = new Composer(options);
  const documents: Document.Parsed[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > maxDefinitionValues) return tooManyValues('YAML tokens');
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') return syntaxError(text, token.message, token.offset);
      documents.push(...composer.next(token));
    }
    // The stack holds the document, the open collections and a scalar.
    if (parser.stack.length > maxDepth + 2) return tooDeep(parser.offset);
    if (documents.length > 1) break;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(documents.length === 0, text.length));
  return onlyOne(documents, text);
}

function onlyOne([document, second]: readonly Document.Parsed[], text: string): Document.Parsed | Refusal {
  const [error] = document?.errors ?? [];
  if (document === undefined || error !== undefined) {
    return syntaxError(text, error?.message ?? 'no document', error?.pos[0] ?? 0);
  }
  return second === undefined ? document : severalDocuments(second.range[0]);
}

function severalDocuments(offset: number): Refusal {
  const message = 'More than one YAML document; a definition is one';
  return {
    code: 'unsupported-syntax',
    message,
    suggestion: "Remove the '---' line, or put each workflow in a file of its own",
    offset,
  };
}

function syntaxError(text: string, what: string, offset: number): Refusal {
  const message = `YAML syntax error: ${what} at ${describePosition(text, offset)}`;
  return {
    code: 'syntax-error',
    message,
    suggestion: 'Check the indentation, and quote text that holds : or #',
    offset,
  };
}
