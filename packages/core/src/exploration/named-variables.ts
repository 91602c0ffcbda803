/** Says which variables texts ask to set. */
export type Naming = (texts: Iterable<string>) => ReadonlySet<string>;

/** Words that come with a variable that is to be set. */
const setting = /\b(set|sets|setting|put|puts|record|records|update|updates|store|stores|save|saves)\b/i;

/** How plainly a text names a variable: as a word, in quotes, or as what is to be set: in quotes beside a word that says so, or before `=`. */
type Plainness = 1 | 2 | 3;

/**
 * Finds variables that texts name, because that is how authors say who sets them. What counts for each variable is how
 * it is named most plainly anywhere in the workflow: where one paragraph says "Set `size`", another that has the word
 * size only reads it. Names in `{{markers}}` are read.
 */
export function createNaming(roots: ReadonlySet<string>, allTexts: Iterable<string>): Naming {
  const plainest = namesIn(allTexts, roots);
  return (texts) => {
    const here = namesIn(texts, roots);
    return new Set([...here].flatMap(([root, how]) => (how === plainest.get(root) ? [root] : [])));
  };
}

function namesIn(texts: Iterable<string>, roots: ReadonlySet<string>): ReadonlyMap<string, Plainness> {
  const found = new Map<string, Plainness>();
  const add = (word: string, how: Plainness): void => {
    if (roots.has(word) && how > (found.get(word) ?? 0)) found.set(word, how);
  };
  for (const paragraph of paragraphsOf(texts)) {
    const isSetting = setting.test(paragraph);
    for (const word of wordsIn(paragraph)) add(word, 1);
    for (const word of quotedIn(paragraph)) add(word, isSetting ? 3 : 2);
    for (const [, name = ''] of paragraph.matchAll(/([A-Za-z_][\w-]*)\s*=(?![=>])/g)) add(name, 3);
  }
  return found;
}

function paragraphsOf(texts: Iterable<string>): readonly string[] {
  return [...texts].flatMap((text) => withoutMarkers(text).split(/\n\s*\n/));
}

function withoutMarkers(text: string): string {
  return text.replaceAll(/\{\{?\s*[\w.-]+\s*\}?\}/g, ' ');
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`|(['"])([\w.-]+)\2/g)].flatMap(([, code = '', , word = '']) =>
    wordsIn(`${code} ${word}`),
  );
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[^\w-]+/);
}
