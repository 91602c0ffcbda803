import { isJsonObject } from '@workflowlookup/schema';
import type { SessionEvent } from './session-event.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

/** Required, unless its name ends with `?`. Other fields are ignored: newer versions may add some. */
type Shape = Readonly<Record<string, Check>>;

function fits(shape: Shape, value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(shape).every(([spelled, check]) => {
    const name = spelled.replace('?', '');
    const isThere = Object.hasOwn(value, name) && value[name] !== undefined;
    return isThere ? check(value[name]) : spelled.endsWith('?');
  });
}

const shaped =
  (shape: Shape): Check =>
  (value) =>
    fits(shape, value);

const isListOf =
  (shape: Shape): Check =>
  (value) =>
    Array.isArray(value) && value.every(shaped(shape));

const isOutput: Check = (value) => isText(value) || fits({ blob: isText }, value);
const isManifest: Check = isListOf({ step_id: isText, output: isOutput });
const isRecordOfTexts: Check = (value) => isJsonObject(value) && Object.values(value).every(isText);
const isAnswer: Check = (value) =>
  fits({ kind: isOneOf('option', 'auto-advance'), option: isText }, value) ||
  fits({ kind: isOneOf('dismissed') }, value);

const shapes: Readonly<Record<SessionEvent['type'], Shape>> = {
  'session-started': {
    workflowId: isText,
    version: isText,
    digest: isText,
    enforcement: isOneOf('advisory', 'strict'),
    variables: isJsonObject,
    assigned: isTexts,
    'setBy?': isRecordOfTexts,
    'owned?': isJsonObject,
    'policy?': shaped({
      gates: isOneOf('declared', 'human'),
      trustElicitation: (value) => typeof value === 'boolean',
      minResponseMs: isNumber,
    }),
    'credential?': isText,
    'drivers?': isTexts,
    'parent?': shaped({ sid: isText, workflowId: isText, version: isText, 'activity?': isText }),
  },
  'activity-entered': {
    activity: isText,
    'from?': isText,
    condition: isText,
    manifest: isManifest,
    variables: isJsonObject,
    warnings: isTexts,
    'setBy?': isRecordOfTexts,
    'credential?': isText,
    'loops?': isListOf({ activity: isText, loop: isText, rounds: isNumber }),
    'kept?': isListOf({ activity: isText, checkpoint: isText, 'opened?': isText }),
  },
  'checkpoint-yielded': {
    activity: isText,
    checkpoint: isText,
    'again?': (value) => value === true,
    'iteration?': isText,
    'approver?': isOneOf('human'),
    'variables?': isJsonObject,
    'setBy?': isRecordOfTexts,
    'credential?': isText,
  },
  'checkpoint-answered': {
    activity: isText,
    checkpoint: isText,
    answer: isAnswer,
    by: isOneOf('agent', 'human'),
    'person?': isText,
    'note?': isText,
    variables: isJsonObject,
    'effect?': shaped({
      'setVariable?': isJsonObject,
      'transitionTo?': isText,
      'skipActivities?': isTexts,
    }),
    'replaces?': (value) => value === true,
    'dropsNext?': (value) => value === true,
    'owns?': isTexts,
    'item?': shaped({ entry: isNumber, visit: isNumber, 'round?': isText, 'iteration?': isText }),
    'decided?': shaped({ digest: isText, shown: isTexts, 'unset?': isTexts }),
    'origin?': isJsonObject,
  },
  'session-completed': {
    'from?': isText,
    condition: isText,
    manifest: isManifest,
    variables: isJsonObject,
    'outcome?': isOneOf('abandoned'),
    'person?': isText,
    warnings: isTexts,
    'setBy?': isRecordOfTexts,
  },
};

/**
 * Whether a stored event has the fields of its type, each with the right type of value. Only then can it be replayed.
 */
export function isSessionEvent(type: string, data: unknown): data is SessionEvent {
  if (!Object.hasOwn(shapes, type) || !isJsonObject(data) || data['type'] !== type) return false;
  return fits(shapes[type as SessionEvent['type']], data);
}
