/** The arguments of one or more calls, for each function of a catalogue and of the objects in it. */
export type Samples<Catalogue> = {
  readonly [
    Name in keyof Catalogue as Catalogue[Name] extends Shown ? never : Name
  ]: Catalogue[Name] extends (...values: infer Values) => unknown
    ? readonly Values[]
    : Samples<Catalogue[Name]>;
};

/** A text, or an error with a suggestion. */
type Shown = string | { readonly message: string };

/** Returns the messages of a catalogue as one text for a snapshot. Each message is on its own line, after its name. */
export function messageTexts<Catalogue extends object>(
  catalogue: Catalogue,
  samples: Samples<Catalogue>,
): string {
  return lines(catalogue, samples, '').join('\n');
}

function lines(catalogue: object, samples: object, path: string): readonly string[] {
  return Object.entries(catalogue).flatMap(([name, message]: [string, unknown]) => {
    const own: unknown = Reflect.get(samples, name);
    const place = path + name;
    if (typeof message === 'function') {
      return (own as readonly unknown[][]).map(
        (values) => `${place}: ${shown(Reflect.apply(message, undefined, values))}`,
      );
    }
    return isTopic(message) ? lines(message, own as object, `${place}.`) : [`${place}: ${shown(message)}`];
  });
}

function isTopic(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('message' in value);
}

function shown(message: unknown): string {
  if (typeof message !== 'object' || message === null) return String(message);
  const { message: text, suggestion } = message as { readonly message: string; readonly suggestion?: string };
  if (suggestion === undefined) return text;
  return /[.!?]$/.test(text) ? `${text} ${suggestion}` : `${text}. ${suggestion}.`;
}
