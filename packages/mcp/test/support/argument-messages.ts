import { tools } from '../../src/index.ts';
import { describeValue, expectations, messages } from '../../src/messages.ts';

type Keyword = 'enum' | 'maxLength' | 'maximum' | 'minimum' | 'minItems' | 'minLength' | 'pattern' | 'type';

/** The message about an argument that breaks `keyword` of its tool's input schema. */
export function broken(field: string, value: unknown, keyword: Keyword, of: object = {}): string {
  const expected = expectations[keyword];
  if (expected === undefined) throw new Error(`the catalogue has no expectation for ${keyword}`);
  return messages.argumentMustBe(field, expected({ ...of }), describeValue(value));
}

/** The message about an argument that the tool does not have. */
export function unknown(tool: string, field: string, nearest?: string): string {
  const schema = tools.find(({ name }) => name === tool)?.inputSchema;
  return messages.unknownArgument(field, nearest, Object.keys(Object(schema?.['properties'])));
}
