import type { Json } from '@workflowlookup/schema';
import type { Draw } from './arbitrary-commands.ts';
import type { Work } from './work.ts';
import { Ledger, work } from './work.ts';
import type { Item, Model, Vars, OpenTransition, World, WorldCheckpoint, OpenTransitions } from './world.ts';
import { isPersons, nextOfPerson, says } from './world.ts';

/** The settings of a session: strict enforcement, and whether every checkpoint needs a person. */
export interface Rules {
  readonly isStrict: boolean;
  readonly isHuman: boolean;
}

/** The result of a command: refused, or carried out with or without a warning. */
export type Verdict = 'refused' | 'warned' | 'clean';

/** Returns the model of a session that was just started. */
export function newModel(world: World, isHuman = false): Model {
  return {
    revision: 1,
    ended: false,
    current: undefined,
    completed: [],
    visits: new Map(),
    iterations: new Map(),
    vars: { ...world.start },
    assigned: [],
    skipped: [],
    entry: 0,
    skippedBy: [],
    byItem: new Map(),
    expectedBy: undefined,
    byAnswer: new Set(),
    expected: undefined,
    openCheckpoint: undefined,
    answers: new Map(),
    dismissed: new Set(),
    decided: new Set(),
    owners: new Map(),
    left: new Set(),
    isModeOfAgent: false,
    isHuman,
    isParked: false,
    notDone: [],
  };
}

/** A move whose numbers and names are resolved. */
export interface ModelMove {
  readonly target: string | undefined;
  readonly manifest: readonly string[] | undefined;
  readonly variables: Vars;
  /** The steps of the manifest that were not done. */
  readonly notDone?: readonly string[];
  /** The value of the field in each output. */
  readonly value?: number;
}

const theEnd = 'end';

interface Outlook {
  readonly move: ModelMove;
  readonly ledger: Ledger;
  readonly done: Work;
  readonly skip: ReadonlySet<string>;
  readonly transitions: OpenTransitions;
  /** The open transitions. `through` is the last transition of a loop by which one passes skipped places. */
  readonly along: ReturnType<typeof openTargets>;
  /** The targets of the open transitions. */
  readonly open: readonly string[];
  /** The place where the session would end although no transition leads to the end. */
  readonly closed: string | undefined;
  readonly target: string;
}

/** Makes a move in the model. */
export function moveModel(world: World, model: Model, on: { move: ModelMove; rules: Rules }): Verdict {
  if (model.ended || model.openCheckpoint !== undefined) return 'refused';
  const written = writtenBy(world, on.move.variables, model);
  if (written === undefined) return 'refused';
  const outlook = lookAhead(world, model, { ...on.move, variables: written });
  if (isBarred(world, model, { outlook, rules: on.rules })) return 'refused';
  const isLost =
    isTransitionFaulty(world, model, outlook) && (on.rules.isStrict || !isFreeStart(world, model, outlook));
  const isFaulty = isLost || isWorkFaulty(world, model, outlook);
  if (isFaulty && on.rules.isStrict) return 'refused';
  leave(world, model, outlook);
  return isFaulty ? 'warned' : 'clean';
}

/** Returns whether a move starts at a place that the agent may choose freely. */
function isFreeStart(world: World, model: Model, { target, skip }: Outlook): boolean {
  return world.startsAnywhere && model.current === undefined && target !== theEnd && !skip.has(target);
}

/** Returns whether a move follows none of the open transitions. */
export function strays(world: World, model: Model, move: ModelMove): boolean {
  const written = writtenBy(world, move.variables, model);
  return (
    written === undefined ||
    isTransitionFaulty(world, model, lookAhead(world, model, { ...move, variables: written }))
  );
}

/**
 * Returns the values that an agent may write, or `undefined` if one belongs to a checkpoint or to a loop that the session is in.
 * Repeating the current value does not count as a write.
 */
function writtenBy(world: World, variables: Vars, model: Model): Vars | undefined {
  const { items, lists } = world.kept(model);
  const isKept = (name: string): boolean => model.owners.has(name) || items.includes(name);
  const textOf = (value: unknown): string => JSON.stringify(value ?? null);
  const isSame = ([name, value]: [string, unknown]): boolean => textOf(value) === textOf(model.vars[name]);
  const grows = ([name, value]: [string, unknown]): boolean => {
    const old = model.vars[name];
    if (!Array.isArray(old)) return !Array.isArray(value);
    return Array.isArray(value) && textOf(value.slice(0, old.length)) === textOf(old);
  };
  const all = Object.entries(variables);
  if (all.some((one) => isKept(one[0]) && !isSame(one))) return undefined;
  if (all.some((one) => lists.includes(one[0]) && !grows(one))) return undefined;
  return Object.fromEntries(all.filter((one) => !isKept(one[0]) && !(lists.includes(one[0]) && isSame(one))));
}

function lookAhead(world: World, model: Model, move: ModelMove): Outlook {
  const ledger = new Ledger(world, model);
  ledger.set(move.variables);
  ledger.fill();
  const write = (values: Vars): Vars | undefined => writtenBy(world, values, model);
  const done = work(world, model, { ...move, ledger, write });
  ledger.fill();
  if (model.current !== undefined) ledger.act(world.actions(model.current, 'exit'));
  ledger.fill();
  const skip = ledger.skip();
  const transitions = world.openTransitions(model, ledger.vars, skip);
  const along = openTargets(world, model, {
    transitions,
    vars: ledger.vars,
    skip,
    byPersons: ledger.byPersons(),
  });
  const open = along.map(({ target }) => target);
  const closed = open.length === 0 ? world.outOfIterations(model, skip) : undefined;
  return {
    move,
    ledger,
    done,
    skip,
    transitions,
    along,
    open,
    closed,
    target: move.target ?? open[0] ?? theEnd,
  };
}

/** Returns whether a move is refused with any enforcement. */
function isBarred(
  world: World,
  model: Model,
  { outlook, rules }: { outlook: Outlook; rules: Rules },
): boolean {
  const { move, transitions, target, done } = outlook;
  if (done.isBarred) return true;
  if (transitions === 'stuck' && move.target === undefined) return true;
  if (target !== theEnd && !world.places.includes(target)) return true;
  const named = nextOfPerson(world, model);
  if (named !== undefined && world.places.includes(named) && !outlook.open.includes(target)) return true;
  const isUndecided =
    target === theEnd && outlook.open.length === 0 && transitions !== 'stuck' && transitions.unsure;
  if ((isUndecided || isTransitionFaulty(world, model, outlook)) && isPassing(world, model, outlook))
    return true;
  const { closed, skip } = outlook;
  const isClosed = target === theEnd && closed !== undefined;
  if (isClosed && !isTransitionFaulty(world, model, outlook) && world.mayAskFrom(closed, model.isHuman, skip))
    return true;
  return done.open.some(
    (checkpoint) => rules.isHuman || checkpoint.approver === 'human' || model.answers.has(checkpoint.id),
  );
}

/** Returns whether a move without a transition could bypass a person, or ends before a required place where a person is asked. */
function isPassing(world: World, model: Model, { target, skip }: Outlook): boolean {
  if (target !== theEnd) return world.passesPerson(model, target);
  const { completed, current, isHuman } = model;
  const left = world.required.filter((id) => !completed.includes(id) && current !== id && !skip.has(id));
  return world.passesPerson(model, undefined) || left.some((id) => world.needsPerson(id, isHuman));
}

function isTransitionFaulty(world: World, model: Model, outlook: Outlook): boolean {
  const { move, transitions, open, target } = outlook;
  if (transitions === 'stuck') return true;
  if (target !== theEnd) return !open.includes(target);
  const isGuess = move.target === undefined && open.length === 0 && transitions.unsure;
  return isGuess || isEndFaulty(world, model, outlook);
}

function isWorkFaulty(world: World, model: Model, { move, done }: Outlook): boolean {
  const known = model.current === undefined ? [] : world.steps(model.current).map(({ id }) => id);
  const isListed = model.current === undefined || !isManifestFaulty(known, done.due, move.manifest);
  return !isListed || done.open.length > 0 || areFaulty(world, move.variables);
}

function isEndFaulty({ required }: World, { completed, current }: Model, { open, skip }: Outlook): boolean {
  const isLeft = required.some((id) => !completed.includes(id) && current !== id && !skip.has(id));
  return isLeft || (open.length > 0 && !open.includes(theEnd));
}

function openTargets(
  world: World,
  model: Model,
  {
    transitions,
    vars,
    skip,
    byPersons,
  }: {
    transitions: ReturnType<World['openTransitions']>;
    vars: Vars;
    skip: ReadonlySet<string>;
    byPersons: readonly string[];
  },
): readonly { readonly target: string; readonly through: OpenTransition | undefined }[] {
  if (model.expected === undefined && transitions === 'stuck') return [];
  const isExpected = model.expected !== undefined || transitions === 'stuck';
  const ahead = isExpected ? [model.expected ?? theEnd] : transitions.open;
  return ahead.map((first, transition) => {
    const seen: string[] = [];
    const entry = { to: first, transition: isExpected ? undefined : transition, isStray: false, vars, skip };
    let from = model;
    let through: OpenTransition | undefined;
    let iterations = skip.has(first)
      ? world.iterations(model, { ...entry, through }).iterations
      : model.iterations;
    let target = first;
    while (skip.has(target)) {
      from = { ...from, current: target, iterations };
      const next = seen.includes(target) ? undefined : world.past(from, target, { vars, skip });
      const isNeeded = !byPersons.includes(target) && world.mayAskFrom(target, model.isHuman, skip);
      if (next === undefined) return { target: isNeeded ? target : theEnd, through };
      if (next.of !== target) through = next;
      seen.push(target);
      iterations = world.stays(from, next.to, next);
      target = next.to;
    }
    return { target, through };
  });
}

function isManifestFaulty(
  known: readonly string[],
  due: readonly string[],
  manifest: readonly string[] | undefined,
): boolean {
  if (manifest === undefined) return due.length > 0;
  const ranks = manifest.map((id) => known.indexOf(id));
  return (
    due.some((id) => !manifest.includes(id)) ||
    ranks.some((rank, at) => rank < 0 || rank <= (ranks[at - 1] ?? -1))
  );
}

function areFaulty({ types }: World, variables: Vars): boolean {
  return Object.entries(variables).some(([name, value]) => {
    const found = Array.isArray(value) ? 'array' : typeof value;
    return types.size > 0 && found !== types.get(name);
  });
}

function leave(world: World, model: Model, outlook: Outlook): void {
  const { target, ledger, along, open, skip } = outlook;
  const isStray = isTransitionFaulty(world, model, outlook);
  const transition = model.expected === undefined && !isStray ? open.indexOf(target) : undefined;
  const { through } = along[open.indexOf(target)] ?? {};
  const entry = { to: target, transition, through, isStray, vars: { ...ledger.vars }, skip };
  const { iterations, sets } = world.iterations(model, entry);
  if (model.current !== undefined && !model.completed.includes(model.current))
    model.completed.push(model.current);
  report(model, outlook.move);
  model.isParked = false;
  model.expected = undefined;
  model.revision += 1;
  if (target === theEnd) {
    model.ended = true;
    model.current = undefined;
  } else {
    ledger.set(sets);
    ledger.act(world.actions(target, 'entry'));
    ledger.fill();
    if (!isStray || model.current !== target) model.decided.clear();
    model.current = target;
    model.visits.set(target, (model.visits.get(target) ?? 0) + 1);
    if ([...iterations.keys()][0] !== [...model.iterations.keys()][0] || iterations.size === 0)
      model.entry = model.revision;
    model.iterations = iterations;
    model.answers.clear();
    model.dismissed.clear();
  }
  ledger.commit('agent');
}

/** Records the steps that were reported as not done. */
function report(model: Model, { manifest = [], notDone = [] }: ModelMove): void {
  const { current: activity, iterations } = model;
  if (activity === undefined) return;
  const kept = model.notDone.filter(
    (one) => iterations.size > 0 || one.activity !== activity || !manifest.includes(one.step),
  );
  model.notDone = [...kept, ...notDone.map((step) => ({ activity, step }))];
}

/** Parks the session of the model. */
export function parkModel(model: Model): Verdict {
  if (model.ended || model.openCheckpoint !== undefined) return 'refused';
  model.isParked = true;
  model.revision += 1;
  return 'clean';
}

/** Takes the default option of the open checkpoint, if the checkpoint is reversible. */
export function takeModel(world: World, model: Model, rules: Rules): void {
  const checkpoint = world.gates(model.current ?? '').find(({ id }) => id === model.openCheckpoint?.id);
  if (checkpoint?.isReversible !== true) return;
  const draw = { kind: 'answer', mode: 'by-policy', by: 'agent', afterMs: 0 } as const;
  answerModel(world, model, { draw, rules, nowMs: 0 });
}

/** Yields, answers or abandons in the model. */
export function pauseModel(
  world: World,
  model: Model,
  on: { draw: Exclude<Draw, { kind: 'move' }>; rules: Rules; nowMs: number },
): Verdict {
  const { draw } = on;
  if (model.ended) return 'refused';
  if (draw.kind === 'answer') return answerModel(world, model, { ...on, draw });
  const { current } = model;
  if (draw.kind === 'yield') {
    const isKnown = current !== undefined && world.gates(current).some(({ id }) => id === draw.checkpoint);
    if (model.openCheckpoint !== undefined || !isKnown || world.lacksItem(current, model.vars))
      return 'refused';
    model.openCheckpoint = { id: draw.checkpoint, sinceMs: on.nowMs };
    model.isParked = false;
  } else {
    model.ended = true;
    model.openCheckpoint = undefined;
    model.expected = undefined;
  }
  model.revision += 1;
  return 'clean';
}

/** A generated answer, or the default answer that the server gives. */
type AnswerDraw = Omit<Extract<Draw, { kind: 'answer' }>, 'mode'> & {
  readonly mode: Extract<Draw, { kind: 'answer' }>['mode'] | 'by-policy';
};

function answerModel(
  world: World,
  model: Model,
  { draw, rules, nowMs }: { draw: AnswerDraw; rules: Rules; nowMs: number },
): Verdict {
  const checkpoint = world.gates(model.current ?? '').find(({ id }) => id === model.openCheckpoint?.id);
  if (checkpoint === undefined || model.openCheckpoint === undefined) return 'refused';
  if (draw.by === 'agent' && (rules.isHuman || checkpoint.approver === 'human')) return 'refused';
  const seen = { ...model.vars, ...world.scope(model.current ?? '') };
  const isAsked = says(checkpoint.condition, seen) || says(checkpoint.condition, dueValues(world, model));
  const taken = takenBy(checkpoint, draw, {
    waitedMs: nowMs - model.openCheckpoint.sinceMs,
    isHeld: isAsked,
  });
  if (taken === undefined) return 'refused';
  const isIdle = taken.id !== '' && !isAsked;
  if (draw.by === 'agent' && (isIdle || overrules(world, model, taken))) return 'refused';
  settle(world, model, { checkpoint, taken, by: draw.by });
  return 'clean';
}

/** Returns the variables after all required steps are done. */
function dueValues(world: World, model: Model): Vars {
  const ledger = new Ledger(world, model);
  work(world, model, { ledger, manifest: undefined });
  return { ...ledger.vars, ...world.scope(model.current ?? '') };
}

/** Returns whether an option would undo the decision of a person. */
function overrules(world: World, model: Model, taken: WorldCheckpoint['options'][number]): boolean {
  const isSet = Object.keys(taken.set ?? {}).some((name) => isPersons(world, model.owners.get(name)));
  const place = model.current ?? '';
  const hasDecided = [...model.decided].some((id) => isPersons(world, `${place}/${id}`));
  const named = nextOfPerson(world, model);
  const isSkipping = named !== undefined && (taken.skip ?? []).includes(named);
  return isSet || isSkipping || (taken.goTo !== undefined && hasDecided);
}

/** Makes a checkpoint the owner of variables, and records the values that its answer gave them. */
function own(
  model: Model,
  names: readonly string[],
  on: {
    readonly key: string;
    readonly about: Item | undefined;
    readonly values: ReadonlySet<string>;
  },
): void {
  const { key, about, values } = on;
  for (const name of names) {
    const earlier = model.owners.get(name) === key ? (model.byItem.get(name) ?? []) : [];
    model.owners.set(name, key);
    model.left.delete(name);
    if (!values.has(name)) model.left.add(name);
    if (about !== undefined && values.has(name))
      model.byItem.set(name, [...earlier, { about, value: model.vars[name] ?? null }]);
    else model.byItem.delete(name);
  }
  for (const name of values) if (model.owners.get(name) === key) model.byAnswer.add(name);
}

function settle(
  world: World,
  model: Model,
  {
    checkpoint,
    taken,
    by,
  }: { checkpoint: WorldCheckpoint; taken: WorldCheckpoint['options'][number]; by: 'agent' | 'human' },
): void {
  const key = `${model.current ?? ''}/${checkpoint.id}`;
  const about = world.repeats(model.current ?? '')
    ? { entry: model.entry, iteration: JSON.stringify([...model.iterations]) }
    : undefined;
  const undone = taken.id === '' ? {} : undo(world, model, { key, about });
  model.vars = { ...model.vars, ...undone };
  model.assigned = model.assigned.filter((name) => !Object.hasOwn(undone, name));
  const ledger = new Ledger(world, model);
  ledger.set({ ...taken.set });
  ledger.fill();
  const values = new Set([...Object.keys(undone), ...ledger.names]);
  for (const name of values) ledger.names.add(name);
  ledger.commit('answer');
  own(model, ownedBy(world, model, { key, checkpoint, taken, by, values }), { key, about, values });
  model.openCheckpoint = undefined;
  if (taken.id !== '') {
    model.answers.set(checkpoint.id, taken.id);
    model.decided.add(checkpoint.id);
    model.dismissed.delete(checkpoint.id);
  } else model.dismissed.add(checkpoint.id);
  const isDropping = by === 'human' && taken.id !== '' && checkpoint.approver === 'human';
  if (isDropping && nextOfPerson(world, model) === undefined) model.expected = undefined;
  if (taken.goTo !== undefined) {
    model.expected = taken.goTo;
    model.expectedBy = key;
  }
  model.skippedBy = [...model.skippedBy, { key, about, skip: taken.skip ?? [] }];
  model.skipped = model.skippedBy.flatMap(({ skip }) => skip);
  model.revision += 1;
}

/**
 * Returns the variables that belong to a checkpoint after an option is taken: those that the option sets, those that a mode
 * filled and, if a person took it, those that the other options set.
 */
function ownedBy(
  world: World,
  { owners, isHuman }: Model,
  on: {
    readonly key: string;
    readonly checkpoint: WorldCheckpoint;
    readonly taken: WorldCheckpoint['options'][number];
    readonly by: 'agent' | 'human';
    readonly values: ReadonlySet<string>;
  },
): readonly string[] {
  const { key, checkpoint, taken, by, values } = on;
  const chosen = Object.keys(taken.set ?? {});
  if (taken.id === '') return [];
  const refused = by === 'human' ? checkpoint.options.flatMap(({ set = {} }) => Object.keys(set)) : [];
  const others = [...refused, ...values].filter((name) => {
    const owner = owners.get(name);
    if (owner === undefined) return true;
    if (owner === key) return values.has(name);
    return checkpoint.approver === 'human' && !isHuman && !isPersons(world, owner);
  });
  return [...chosen, ...others];
}

/** Undoes the previous answer, and returns the values that its variables have without it. */
function undo(
  world: World,
  model: Model,
  { key, about }: { readonly key: string; readonly about: Item | undefined },
): Vars {
  const isReplaced = (one: Item | undefined): boolean =>
    about === undefined ||
    (one !== undefined && (one.entry !== about.entry || one.iteration === about.iteration));
  model.skippedBy = model.skippedBy.filter((one) => one.key !== key || !isReplaced(one.about));
  if (model.expectedBy === key) model.expected = undefined;
  const names = [...model.owners].filter(
    ([name, owner]) =>
      owner === key &&
      !model.left.has(name) &&
      model.byAnswer.has(name) &&
      isReplaced(model.byItem.get(name)?.at(-1)?.about),
  );
  for (const [name, owner] of model.owners) {
    const all = owner === key ? model.byItem.get(name) : undefined;
    if (all !== undefined)
      model.byItem.set(
        name,
        all.filter((one) => !isReplaced(one.about)),
      );
  }
  const valueOf = (name: string): Json => {
    const before = model.byItem.get(name)?.at(-1);
    return before === undefined ? (world.start[name] ?? null) : before.value;
  };
  return Object.fromEntries(names.map(([name]) => [name, valueOf(name)]));
}

const dismissal = { id: '' };

/** Returns the option that an answer takes, or `undefined` if the answer is refused. */
function takenBy(
  checkpoint: WorldCheckpoint,
  { mode, by }: AnswerDraw,
  at: { waitedMs: number; isHeld: boolean },
): WorldCheckpoint['options'][number] | undefined {
  if (mode === 'condition-not-met')
    return checkpoint.condition === undefined || at.isHeld ? undefined : dismissal;
  if (mode === 'by-policy') return checkpoint.options.find(({ id }) => id === checkpoint.preset);
  if (mode === 'auto-advance') {
    const hasRun = checkpoint.timerMs !== undefined && at.waitedMs >= checkpoint.timerMs;
    return checkpoint.blocking || !hasRun
      ? undefined
      : checkpoint.options.find(({ id }) => id === checkpoint.preset);
  }
  if (mode === 'unknown' || (by === 'agent' && at.waitedMs < 3000)) return undefined;
  return checkpoint.options[mode === 'first' ? 0 : 1];
}
