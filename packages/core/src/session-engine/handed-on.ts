import type { Navigator } from '../session/navigator.ts';
import type { Values } from '../session/variables.ts';
import type { OpenSession } from './open-session.ts';
import { activityPart } from './session-library.ts';

/** The variables that the triggers of the parent's current activity, and of its steps, pass to a child's workflow. */
export function handedOn({ runnable, state }: OpenSession, child: Navigator): Values {
  if (runnable.kind === 'steps' || state.current === undefined) return {};
  const { triggers = [], steps = [] } = activityPart(runnable.workflow, state.current).definition;
  const all = [...triggers, ...steps.flatMap((step) => step.triggers ?? [])];
  const names = all
    .filter(({ workflow }) => workflow === child.workflow.id)
    .flatMap((one) => one.passContext ?? []);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value =
        isKnown(child, name) && Object.hasOwn(state.variables, name) ? state.variables[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A workflow that declares variables takes no others. */
function isKnown({ variables }: Navigator, name: string): boolean {
  return variables.length === 0 || variables.some((declared) => declared.name === name);
}
