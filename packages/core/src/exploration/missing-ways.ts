import { lookUp, showValue } from '@workflowlookup/conditions';
import type { ActivityWorkflow } from '@workflowlookup/schema';
import { conditionsOf } from '@workflowlookup/schema';
import { namesInCondition } from '@workflowlookup/conditions';
import type { Navigator } from '../session/navigator.ts';
import { consider } from '../session/prospect.ts';
import type { ExplorationFinding } from './exploration.ts';
import type { Passage } from './terrain.ts';

/** Collects activities that have ways on of which none is open, so that the session ends there unasked. */
export function createMissingWays(
  { activities }: Pick<ActivityWorkflow, 'activities'>,
  navigator: Navigator,
): { readonly add: (passage: Passage) => void; readonly findings: () => readonly ExplorationFinding[] } {
  const parts = new Map(activities.map((part) => [part.id, part]));
  const found = new Map<string, ExplorationFinding>();
  return {
    findings: () => [...found.values()],
    add({ before, command, event }) {
      const { current } = before;
      if (event.type !== 'session-completed' || command.kind !== 'move' || current === undefined) return;
      const part = parts.get(current);
      const { transitions = [], decisions = [] } = part?.definition ?? {};
      if (part === undefined || found.has(current) || transitions.length + decisions.length === 0) return;
      const { ways, here } = consider(before, command, navigator);
      if (ways.length > 0) return;
      const names = new Set(
        [...conditionsOf(part.definition)]
          .filter(({ pointer }) => /^\/(decisions|transitions)\//.test(pointer))
          .flatMap(({ source }) => [...namesInCondition(source)]),
      );
      const values = [...names].map((name) => `${name} ${describe(lookUp(here.variables, name))}`);
      found.set(current, {
        severity: 'warning',
        code: 'missing-transition',
        file: part.file,
        pointer: `${part.pointer}/transitions`,
        message: `From activity '${current}' no way is open with ${values.join(', ')}: the session ends there`,
        suggestion: "Add a default transition, to 'end' if that is meant",
      });
    },
  };
}

function describe(value: unknown): string {
  return value === undefined || value === null ? 'not set' : `= ${showValue(value)}`;
}
