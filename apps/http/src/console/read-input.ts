import { WorkflowError } from '@workflowlookup/schema';
import type { Context } from 'hono';
import type { z } from 'zod';

/** The request as it came to the server: the limit of bodies puts another one in the place of some. */
export function requestOf({ env, req }: Context): Request {
  return (env as { readonly asked?: Request } | undefined)?.asked ?? req.raw;
}

/** The body of a request, of this shape. @throws WorkflowError INVALID_PARAMS */
export async function readBody<Shape extends z.ZodType>(
  context: Context,
  shape: Shape,
): Promise<z.infer<Shape>> {
  return checked(shape, await context.req.json().catch(() => undefined), 'The body');
}

/** The query of a request, of this shape; a parameter that comes twice counts once. @throws WorkflowError INVALID_PARAMS */
export function readQuery<Shape extends z.ZodType>(context: Context, shape: Shape): z.infer<Shape> {
  return checked(shape, context.req.query(), 'The query');
}

function checked<Shape extends z.ZodType>(shape: Shape, value: unknown, what: string): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at '${issue.path.join('.')}'`;
  throw new WorkflowError('INVALID_PARAMS', `${what} is not what is taken${place}: ${issue?.message ?? ''}.`);
}
