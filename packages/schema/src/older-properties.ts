/** Properties that older step workflows have and nothing reads any more, by the title of the schema they stand in. */
const olderProperties: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['Step workflow', new Set(['functionDefinitions'])],
  [
    'Prompt step',
    new Set([
      'name',
      'description',
      'hasValidation',
      'functionDefinitions',
      'functionCalls',
      'functionReferences',
    ]),
  ],
  ['Loop step', new Set(['requireConfirmation', 'functionDefinitions'])],
]);

/** Whether an object of this schema had a property of this name in an older form. */
export function isOlderProperty(schemaTitle: unknown, name: string): boolean {
  return olderProperties.get(schemaTitle)?.has(name) ?? false;
}
