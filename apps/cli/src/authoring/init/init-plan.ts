import { isWorkflowId, WorkflowError } from '@workflowlookup/schema';
import type { CommonOptions } from '../../add-command.ts';
import type { Template } from './template.ts';
import { templates } from './templates/templates.ts';

/** What `init` takes. */
export interface InitFlags extends CommonOptions {
  readonly kind?: Template['kind'];
  readonly template?: string;
  readonly id?: string;
  readonly title?: string;
}

/** What is to be made. */
export interface InitPlan {
  readonly template: Template;
  readonly id: string;
  readonly title: string;
}

/** The plan that flags make by themselves; a step workflow, of the first template, unless they say otherwise. */
export function planOf({ kind, template, id, title }: InitFlags & { readonly id: string }): InitPlan {
  const wrong = wrongId(id) ?? (title === undefined ? undefined : wrongTitle(title));
  if (wrong !== undefined) throw new WorkflowError('INVALID_PARAMS', wrong);
  return { template: templateOf(kind ?? 'step', template), id, title: title ?? titleFrom(id) };
}

/** The template of this name, or the first of its kind. @throws WorkflowError INVALID_PARAMS */
export function templateOf(kind: Template['kind'], name: string | undefined): Template {
  const ofKind = templates.filter((template) => template.kind === kind);
  const found = ofKind.find((template) => name === undefined || template.name === name);
  if (found !== undefined) return found;
  const names = ofKind.map((template) => template.name).join(', ');
  const message = `There is no template '${name ?? ''}' of this kind: use ${names}.`;
  throw new WorkflowError('INVALID_PARAMS', message);
}

/** What is wrong with an id. */
export function wrongId(id: string): string | undefined {
  const isRight: boolean = isWorkflowId(id);
  return isRight
    ? undefined
    : `'${id}' can't be an id: it has 3 to 64 lowercase letters, digits and dashes, such as tea-time.`;
}

/** What is wrong with a title. */
export function wrongTitle(title: string): string | undefined {
  const isRight = title.trim() !== '' && [...title].length <= 128 && !/\p{Cc}/u.test(title);
  return isRight ? undefined : 'A title has 1 to 128 characters, on one line.';
}

/** A title that an id suggests: `tea-time` is Tea time. */
export function titleFrom(id: string): string {
  const words = id
    .slice(id.indexOf('.') + 1)
    .replaceAll('-', ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
