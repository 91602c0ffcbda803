import type { Context, Variable } from './condition.ts';

const isOwn = (value: object, key: string): boolean => Object.prototype.propertyIsEnumerable.call(value, key);

/**
 * The value of a variable: the context's own key of that name, else the dotted path through own enumerable keys
 * and array indexes (`list.1.name`). `undefined` means missing; nothing inherited is ever seen.
 */
export function lookUp(context: Context, path: string): unknown {
  return read(context, variable(path));
}

/** A variable with its path split once, for {@link read}. */
export function variable(name: string): Variable {
  return { name, path: name.split('.') };
}

/** {@link lookUp} for a variable that a parsed condition holds. */
export function read(context: Context, { name, path }: Variable): unknown {
  if (isOwn(context, name)) return context[name];
  return path.length === 1 ? undefined : follow(context, path);
}

function follow(context: Context, path: readonly string[]): unknown {
  let value: unknown = context;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !isOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
