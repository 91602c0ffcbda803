/** Shorter texts of an author, such as ids, are not removed, because they also occur inside the server's own words. */
const shortest = 12;

/**
 * Returns a reply of a session without the parts that authors wrote: the workflow, its activity, step and checkpoint,
 * and the operations of the workflow and of `meta`. The server shows an activity as it was written, so its keys are
 * removed too. It composes the text of a step, so only the author's texts in it are removed.
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

/** Returns every text in a definition, both as it is and as JSON and TOON strings escape it, longest first. */
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

/** The server adds the digest at the start of a bundle. Authors wrote the operations of skills below it. */
function isBundle(section) {
  return /^bundle: "?sha256/m.test(section);
}

function firstLine(section) {
  return section.split('\n').find((line) => line.startsWith('bundle:'));
}

/** Returns the text around a definition in TOON: the lines before its `id`, and those from `remaining` to the end. */
function aroundDefinition(section) {
  const match = /^(?<head>(?:(?:session_token|warnings)[^]*?\n)?)id: [^]*?(?<tail>\nremaining\[[^]*)?$/.exec(
    section,
  );
  return match === null ? section : `${match.groups.head}${match.groups.tail ?? ''}`;
}
