import type { Action } from '@workflowlookup/schema';
import type { Model, Vars, World, WorldCheckpoint } from './world.ts';
import { isPersons, nextOfPerson, says } from './world.ts';

/** Collects the values that a move sets, on top of the variables of a session. */
export class Ledger {
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

  /** If the mode was just turned on, sets its defaults for variables that nobody has set. */
  fill(): void {
    const { quick } = this.#world;
    if (quick === undefined || this.#model.vars['m'] === true || this.vars['m'] !== true) return;
    for (const [name, value] of Object.entries(quick.defaults)) {
      if (!this.names.has(name) && !this.#model.assigned.includes(name)) this.set({ [name]: value });
    }
  }

  skip(): ReadonlySet<string> {
    const named = this.#isModeOfAnswer() ? nextOfPerson(this.#world, this.#model) : undefined;
    const quick = this.#isModeOfAgent() ? [] : this.#quick().filter((place) => place !== named);
    return new Set([...this.#kept(), ...quick, ...this.waived()]);
  }

  /** Returns the places that only the mode of an agent skips. It cannot skip a person, or an activity that leads to one. */
  waived(): readonly string[] {
    const { isHuman } = this.#model;
    const { needsPerson, sendsToPerson } = this.#world;
    if (!this.#isModeOfAgent()) return [];
    const named = nextOfPerson(this.#world, this.#model);
    const kept = this.#kept();
    return this.#quick().filter(
      (place) =>
        place !== named &&
        !kept.includes(place) &&
        !needsPerson(place, isHuman) &&
        !sendsToPerson(place, isHuman),
    );
  }

  /** Returns the places that answers of people skip. */
  byPersons(): readonly string[] {
    const { isHuman, owners, skippedBy } = this.#model;
    const isOfPerson = (key: string | undefined): boolean => isHuman || isPersons(this.#world, key);
    const answers = skippedBy.filter(({ key }) => isOfPerson(key)).flatMap(({ skip }) => skip);
    const isMode = owners.has('m') && !this.#model.left.has('m') && isOfPerson(owners.get('m'));
    return isMode && !this.names.has('m') ? [...answers, ...this.#quick()] : answers;
  }

  /** Returns the places that answers skip. */
  #kept(): readonly string[] {
    const { isHuman, skipped, skippedBy } = this.#model;
    const named = nextOfPerson(this.#world, this.#model);
    const isPersonsSkip = skippedBy.some(
      ({ key, skip }) =>
        named !== undefined && skip.includes(named) && (isHuman || isPersons(this.#world, key)),
    );
    return isPersonsSkip ? skipped : skipped.filter((place) => place !== named);
  }

  #quick(): readonly string[] {
    return this.vars['m'] === true ? (this.#world.quick?.skip ?? []) : [];
  }

  #isModeOfAgent(): boolean {
    const { owners, left, isModeOfAgent } = this.#model;
    const isDecided = owners.has('m') && !left.has('m');
    return !isDecided && (isModeOfAgent || this.names.has('m'));
  }

  /** Returns whether the mode was turned on by an answer to a checkpoint that does not need a person. */
  #isModeOfAnswer(): boolean {
    const { owners, left, byAnswer, isHuman } = this.#model;
    const isDecided = !left.has('m') && (isHuman || isPersons(this.#world, owners.get('m')));
    return byAnswer.has('m') && !isDecided;
  }

  commit(by: 'agent' | 'answer'): void {
    if (this.names.has('m')) this.#model.isModeOfAgent = by === 'agent';
    for (const name of this.names) this.#model.byAnswer.delete(name);
    this.#model.vars = this.vars;
    this.#model.assigned.push(...this.names);
  }
}

/** The requirements of an activity before a session can leave it: its required steps and its unanswered checkpoints. */
export interface Work {
  readonly due: readonly string[];
  readonly open: readonly WorldCheckpoint[];
  /** Whether an output sets a variable that an agent may not write, or a step is reported as not done although it may not be missing. */
  readonly isBarred: boolean;
}

/** The contents of a manifest. */
export interface StepReport {
  readonly manifest: readonly string[] | undefined;
  /** The steps of the manifest that were not done. */
  readonly notDone?: readonly string[];
  /** The value of the field in the output of each step. */
  readonly value?: number;
  /** Returns the values that are written, or `undefined` if an agent may not write them. */
  readonly write?: (values: Vars) => Vars | undefined;
}

/** Applies the steps of the current place. Without a manifest, all required steps count as done. */
export function work(world: World, model: Model, at: { ledger: Ledger } & StepReport): Work {
  const place = model.current;
  if (place === undefined) return { due: [], open: [], isBarred: false };
  const { ledger, manifest, notDone = [], value = 0, write = (values) => values } = at;
  let isBarred = notDone.some((id) => world.steps(place).find((one) => one.id === id)?.mayBeMissing !== true);
  const scope = world.scope(place);
  const due: string[] = [];
  const steps = world.steps(place);
  const named = new Set(steps.map(({ checkpoint }) => checkpoint));
  const signed = world
    .gates(place)
    .filter(({ approver, id }) => (approver === 'human' || model.isHuman) && !named.has(id));
  const asked = new Set<string | undefined>(signed.map(({ id }) => id));
  for (const step of steps) {
    if (!step.tests.every((one) => says(one, { ...ledger.vars, ...scope }))) continue;
    const isReported = manifest?.includes(step.id) === true && !notDone.includes(step.id);
    const isDone = !step.optional || isReported;
    if (!step.optional) due.push(step.id);
    if (!step.optional || isDone) asked.add(step.checkpoint);
    if (isReported && step.fills !== undefined) {
      const written = write({ [step.fills]: step.fills === 'm' ? value === 1 : value });
      if (written === undefined) isBarred = true;
      else ledger.set(written);
    }
    if (isDone) ledger.act(step.actions);
  }
  const open = world.gates(place).filter((checkpoint) => {
    const answer = model.answers.get(checkpoint.id);
    const isSettled = answer !== undefined && answer !== checkpoint.sendsBack;
    const isSentBack = answer !== undefined && !model.dismissed.has(checkpoint.id);
    const isAsked = isSentBack || says(checkpoint.condition, { ...ledger.vars, ...scope });
    return asked.has(checkpoint.id) && isAsked && !isSettled;
  });
  return { due, open, isBarred };
}

/** Returns the steps that an honest agent names when it leaves with these values, and the checkpoints that it must yield first. */
export function honestWork(world: World, model: Model, variables: Vars = {}): Work {
  const ledger = new Ledger(world, model);
  ledger.set(variables);
  ledger.fill();
  return work(world, model, { ledger, manifest: undefined });
}
