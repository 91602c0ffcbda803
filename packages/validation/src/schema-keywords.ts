// How the value of a keyword is read: a map from names to schemas, or a value that is only compared. Everything
// else may hold a schema or a list of schemas; an unknown keyword may too, since a $ref can lead into it.
const roles: ReadonlyMap<string, 'map' | 'value'> = new Map([
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['dependencies', 'map'],
  ['dependentSchemas', 'map'],
  ['patternProperties', 'map'],
  ['properties', 'map'],
  ['$vocabulary', 'value'],
  ['const', 'value'],
  ['dependentRequired', 'value'],
  ['enum', 'value'],
]);

const others = `
  $anchor $comment $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema
  additionalItems additionalProperties allOf anyOf contains contentEncoding contentMediaType
  contentSchema default deprecated description else examples exclusiveMaximum exclusiveMinimum
  format if items maxContains maxItems maxLength maxProperties maximum minContains minItems
  minLength minProperties minimum multipleOf not oneOf pattern prefixItems propertyNames readOnly
  required then title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly
`;

/** The keywords of draft-07, 2019-09 and 2020-12. */
export const knownKeywords: readonly string[] = [...roles.keys(), ...others.trim().split(/\s+/)];

const known: ReadonlySet<string> = new Set(knownKeywords);

/** Whether a keyword means something in a JSON Schema, or is marked `x-` as having no meaning there. */
export function isKnownKeyword(keyword: string): boolean {
  return known.has(keyword) || keyword.startsWith('x-');
}

/** How the value of a keyword is read; `undefined` when it may hold schemas. */
export function roleOf(keyword: string): 'map' | 'value' | undefined {
  return roles.get(keyword);
}
