import type { Action } from '@workflowlookup/schema';
import type { Draw } from './arbitrary-commands.ts';
import type { Model, Vars, World, WorldGate } from './reference-world.ts';
import { says } from './reference-world.ts';

/** Rules the model plays by. */
export interface Rules {
  readonly isStrict: boolean;
  readonly isHuman: boolean;
}

/** What a command comes to: refused, or carried out with or without a warning. */
export type Verdict = 'refused' | 'warned' | 'clean';

/** A session that has begun. */
export function newModel(world: World): Model {
  return {
    revision: 1,
    ended: false,
    current: undefined,
    completed: [],
    visits: new Map(),
    vars: { ...world.start },
    assigned: [],
    skipped: [],
    expected: undefined,
    gate: undefined,
    answers: new Map(),
  };
}

/** Values that are set one after the other, on top of those of a session. */
class Ledger {
  readonly vars: Vars;
  readonly names = new Set<string>();
  readonly #world: World;
  readonly #model: Model;

  constructor(world: World, model: Model) {
    this.#world = world;
    this.#model = model;
    this.vars = { ...model.vars };
  }

  set(values: Vars): void {
    for (const [name, value] of Object.entries(values)) {
      this.vars[name] = value;
      this.names.add(name);
    }
  }

  act(actions: readonly Action[], scope: Vars = {}): void {
    for (const { target = '', value = null, condition } of actions) {
      if (says(condition, { ...scope, ...this.vars })) this.set({ [target]: value });
    }
  }

  /** A mode that comes into force fills what nobody set. */
  fill(): void {
    const { quick } = this.#world;
    if (quick === undefined || this.#model.vars['m'] === true || this.vars['m'] !== true) return;
    for (const [name, value] of Object.entries(quick.defaults)) {
      if (!this.names.has(name) && !this.#model.assigned.includes(name)) this.set({ [name]: value });
    }
  }

  skip(): ReadonlySet<string> {
    const quick = this.vars['m'] === true ? (this.#world.quick?.skip ?? []) : [];
    return new Set([...this.#model.skipped, ...quick]);
  }

  commit(): void {
    this.#model.vars = this.vars;
    this.#model.assigned.push(...this.names);
  }
}

/** What the work of an activity comes to. */
export interface Work {
  readonly due: readonly string[];
  readonly open: readonly WorldGate[];
}

/** Goes through the steps; without a manifest those that are due count as done. */
function work(
  world: World,
  model: Model,
  at: { ledger: Ledger; manifest: readonly string[] | undefined },
): Work {
  const place = model.current;
  if (place === undefined) return { due: [], open: [] };
  const { ledger, manifest } = at;
  const scope = world.scope(place);
  const due: string[] = [];
  const asked = new Set<string | undefined>();
  for (const step of world.steps(place)) {
    if (!step.tests.every((one) => says(one, { ...ledger.vars, ...scope }))) continue;
    const isDone = manifest === undefined ? !step.optional : manifest.includes(step.id);
    if (!step.optional) due.push(step.id);
    if (!step.optional || isDone) asked.add(step.gate);
    if (isDone) ledger.act(step.actions);
  }
  const open = world.gates(place).filter((gate) => {
    const answer = model.answers.get(gate.id);
    const isSettled = answer !== undefined && answer !== gate.sendsBack;
    return asked.has(gate.id) && says(gate.condition, { ...ledger.vars, ...scope }) && !isSettled;
  });
  return { due, open };
}

/** The steps an honest agent names on leaving, with the values it gives. */
export function honestManifest(world: World, model: Model, variables: Vars): readonly string[] {
  const ledger = new Ledger(world, model);
  ledger.set(variables);
  ledger.fill();
  return work(world, model, { ledger, manifest: undefined }).due;
}

/** A move with everything looked up. */
export interface ModelMove {
  readonly target: string | undefined;
  readonly manifest: readonly string[] | undefined;
  readonly variables: Vars;
}

const theEnd = 'end';

/** Moves the model on. */
export function moveModel(world: World, model: Model, on: { move: ModelMove; rules: Rules }): Verdict {
  const { move, rules } = on;
  if (model.ended || model.gate !== undefined) return 'refused';
  const ledger = new Ledger(world, model);
  ledger.set(move.variables);
  ledger.fill();
  const done = work(world, model, { ledger, manifest: move.manifest });
  ledger.fill();
  if (model.current !== undefined) ledger.act(world.actions(model.current, 'exit'));
  ledger.fill();
  const skip = ledger.skip();
  const ways = world.ways(model, ledger.vars, skip);
  const open = openTargets(world, model, { ways, vars: ledger.vars, skip });
  const target = move.target ?? open[0] ?? theEnd;
  if (ways === 'stuck' && move.target === undefined) return 'refused';
  if (target !== theEnd && !world.places.includes(target)) return 'refused';
  if (done.open.some((gate) => rules.isHuman || gate.approver === 'human' || model.answers.has(gate.id)))
    return 'refused';
  const isFaulty = [
    ways === 'stuck',
    target === theEnd ? open.length > 0 && !open.includes(theEnd) : !open.includes(target),
    target === theEnd && move.target === undefined && open.length === 0 && ways !== 'stuck' && ways.unsure,
    target === theEnd &&
      world.required.some((id) => !model.completed.includes(id) && model.current !== id && !skip.has(id)),
    model.current !== undefined &&
      isManifestFaulty(
        world.steps(model.current).map(({ id }) => id),
        done.due,
        move.manifest,
      ),
    done.open.length > 0,
    areFaulty(world, move.variables),
  ].includes(true);
  if (isFaulty && rules.isStrict) return 'refused';
  leave(model, target, { world, ledger });
  return isFaulty ? 'warned' : 'clean';
}

function openTargets(
  world: World,
  model: Model,
  { ways, vars, skip }: { ways: ReturnType<World['ways']>; vars: Vars; skip: ReadonlySet<string> },
): readonly string[] {
  if (model.expected === undefined && ways === 'stuck') return [];
  const ahead = model.expected === undefined && ways !== 'stuck' ? ways.open : [model.expected ?? theEnd];
  return ahead.map((first) => {
    let target = first;
    for (let passed = 0; skip.has(target); passed += 1) {
      target = passed > skip.size ? theEnd : (world.past(target, vars) ?? theEnd);
    }
    return target;
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

function leave(model: Model, target: string, { world, ledger }: { world: World; ledger: Ledger }): void {
  if (model.current !== undefined && !model.completed.includes(model.current))
    model.completed.push(model.current);
  model.expected = undefined;
  model.revision += 1;
  if (target === theEnd) {
    model.ended = true;
    model.current = undefined;
  } else {
    ledger.act(world.actions(target, 'entry'));
    ledger.fill();
    model.current = target;
    model.visits.set(target, (model.visits.get(target) ?? 0) + 1);
    model.answers.clear();
  }
  ledger.commit();
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
    if (model.gate !== undefined || !isKnown) return 'refused';
    model.gate = { id: draw.checkpoint, sinceMs: on.nowMs };
  } else {
    model.ended = true;
    model.gate = undefined;
    model.expected = undefined;
  }
  model.revision += 1;
  return 'clean';
}

function answerModel(
  world: World,
  model: Model,
  { draw, rules, nowMs }: { draw: Extract<Draw, { kind: 'answer' }>; rules: Rules; nowMs: number },
): Verdict {
  const { current = '', gate: waiting } = model;
  const gate = world.gates(current).find(({ id }) => id === waiting?.id);
  if (gate === undefined || waiting === undefined) return 'refused';
  if (draw.by === 'agent' && (rules.isHuman || gate.approver === 'human')) return 'refused';
  const isHeld = says(gate.condition, { ...model.vars, ...world.scope(current) });
  const waited = nowMs - waiting.sinceMs;
  const option = gate.options[draw.mode === 'first' ? 0 : 1];
  const preset = gate.options.find(({ id }) => id === gate.preset);
  const mayAdvance =
    !gate.blocking && preset !== undefined && gate.timerMs !== undefined && waited >= gate.timerMs;
  const isRefused = {
    first: draw.by === 'agent' && waited < 3000,
    second: draw.by === 'agent' && waited < 3000,
    unknown: true,
    'auto-advance': !mayAdvance,
    'condition-not-met': gate.condition === undefined || isHeld,
  }[draw.mode];
  if (isRefused) return 'refused';
  const taken = { first: option, second: option, 'auto-advance': preset }[String(draw.mode)];
  const ledger = new Ledger(world, model);
  ledger.set(taken?.set ?? {});
  ledger.fill();
  ledger.commit();
  model.gate = undefined;
  model.answers.delete(gate.id);
  model.answers.set(gate.id, taken?.id ?? '');
  model.expected = taken?.goTo ?? model.expected;
  model.skipped.push(...(taken?.skip ?? []));
  model.revision += 1;
  return 'clean';
}
