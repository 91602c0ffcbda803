/** Shorter texts of an author, such as ids, are counted as ours: taken away they would tear holes in what is. */
const shortest = 12;

/**
 * What the server adds in a reply of a session, less what authors wrote: the workflow, its activity, its step and its
 * checkpoint, and the operations, which are those of the workflow and of `meta`. An activity is shown as its author wrote
 * it, keys and all; a step is composed, so of that only the author's own texts are taken away.
 *
 * @param {string} text as a model reads it
 * @param {{ texts: readonly string[], isComposed: boolean }} authored texts of the author, longest first
 */
export function addedText(text, { texts, isComposed }) {
  const around = isComposed ? (section) => section : aroundDefinition;
  const sections = text.split('\n---\n');
  const left = sections.map((section, at) =>
    at === 0 && isBundle(section) ? firstLine(section) : around(section),
  );
  return texts.reduce((rest, part) => rest.replaceAll(part, ''), left.join('\n---\n'));
}

/** Every text in a definition, and as it stands inside of a JSON or TOON string; longest first. */
export function textsOf(definition) {
  const found = new Set();
  const visit = (value) => {
    if (typeof value === 'string') {
      for (const text of [value, value.trimEnd(), JSON.stringify(value).slice(1, -1)])
        if (text.length >= shortest) found.add(text);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(definition);
  return [...found].toSorted((a, b) => b.length - a.length);
}

/** A bundle begins with its digest, which is ours; then come skills' operations, which are not. */
function isBundle(section) {
  return /^bundle: "?sha256/m.test(section);
}

function firstLine(section) {
  return section.split('\n').find((line) => line.startsWith('bundle:'));
}

/** Of a definition in TOON only what stands around it: the lines ahead of its id, and what remains and where it goes. */
function aroundDefinition(section) {
  const match = /^(?<head>(?:(?:session_token|warnings)[^]*?\n)?)id: [^]*?(?<tail>\nremaining\[[^]*)?$/.exec(
    section,
  );
  return match === null ? section : `${match.groups.head}${match.groups.tail ?? ''}`;
}
