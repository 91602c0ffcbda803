import { conditionText } from '@workflowlookup/core/decisions';
import type { ActivityLoop, InnerField, LoopSpec } from '@workflowlookup/schema';

// Every message of this package that a person or an agent reads, by topic. `test/messages.test.ts` has a snapshot of all
// of them.

function rangeText(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  const from = least === undefined ? '' : `at least ${least}${most === undefined ? '' : ' and '}`;
  const counted = (most ?? least) === 1 ? unit.replace(/s$/, '') : unit;
  return ` of ${from}${most === undefined ? '' : `at most ${most}`} ${counted}`.trimEnd();
}

function mostIterations(count: number): string {
  return `at most ${count} ${count === 1 ? 'iteration' : 'iterations'}`;
}

/** Phrases of an outline. */
export const outlineTexts = {
  /** What a field takes. */
  field: (field: InnerField): string => {
    const { type = 'text', options = [], items = 'text', properties = {} } = field;
    switch (type) {
      case 'text':
        return `text${rangeText(field.min_length, field.max_length, 'characters')}`;
      case 'number':
        return `a number${rangeText(field.min, field.max, '')}`;
      case 'boolean':
        return 'true or false';
      case 'choice':
        return `one of ${options.join(', ')}`;
      case 'list': {
        const range = rangeText(field.min_items, field.max_items, 'items');
        if (typeof items === 'object') return `a list${range}, each with ${Object.keys(items).join(', ')}`;
        if (options.length > 0) return `a list${range}, each one of ${options.join(', ')}`;
        return `a list${range}, each ${{ text: 'a text', number: 'a number', boolean: 'true or false' }[items]}`;
      }
      case 'object':
        return `an object with ${Object.keys(properties).join(', ')}`;
    }
  },
  /** How often a loop of a step workflow repeats. */
  stepIterations: ({ type, count, items, condition, itemVar, maxIterations }: LoopSpec): string => {
    const most = mostIterations(maxIterations);
    if (type === 'for') return `${count} times, ${most}`;
    if (type === 'forEach') return `for each ${itemVar ?? 'currentItem'} of ${items}, ${most}`;
    return `${type} ${condition === undefined ? 'true' : conditionText(condition)}, ${most}`;
  },
  /** How often a loop of an activity repeats. */
  activityIterations: (loop: ActivityLoop): string => {
    const { type, variable, over, condition, breakCondition, maxIterations = 100 } = loop;
    const kinds = { forEach: `for each ${variable} of ${over}`, while: 'while', doWhile: 'once, then while' };
    const held = condition === undefined || type === 'forEach' ? '' : ` ${conditionText(condition)}`;
    const until = breakCondition === undefined ? '' : `, until ${conditionText(breakCondition)}`;
    return `${kinds[type]}${held}${until}, ${mostIterations(maxIterations)}`;
  },
  /** All conditions of a step. */
  conditions: (texts: readonly string[]): string => texts.join(', and '),
};

/** Labels of nodes and edges of a diagram. */
export const labels = {
  start: 'Start',
  end: 'End',
  confirm: (title: string): string => `Confirm: ${title}`,
  loop: (id: string): string => `loop '${id}'`,
  yes: 'yes',
  no: 'no',
  otherwise: 'otherwise',
  eachIteration: 'each iteration',
  nextIteration: 'the next iteration',
  nextActivity: 'the next activity',
  done: 'done',
  confirmed: 'Confirm',
  revised: 'Revise',
  unusable: "it can't be used",
  conditionFalse: (condition: string): string => `its condition did not hold: ${condition}`,
};
