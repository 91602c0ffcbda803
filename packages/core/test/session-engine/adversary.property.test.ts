import type { Activity, ActivityStep, Step, Workflow } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import type { MoveRequest, ReportedStep, Sessions } from '../../src/session-engine/sessions.ts';
import { workflow as stepWorkflow } from '../support/step-workflows.ts';
import type { Draw } from '../support/reference-model/arbitrary-commands.ts';
import { draw, moveOf } from '../support/reference-model/arbitrary-commands.ts';
import { graphSketch, stepSketches } from '../support/arbitrary-workflows.ts';
import { activityWorkflow } from '../support/sessions.ts';
import { graphWorld } from '../support/reference-model/graph.ts';
import type { GraphSketch } from '../support/arbitrary-workflows.ts';
import type { ModelMove, Rules } from '../support/reference-model/model.ts';
import {
  moveModel,
  newModel,
  parkModel,
  pauseModel,
  strays,
  takeModel,
} from '../support/reference-model/model.ts';
import { sequenceWorld } from '../support/reference-model/sequence.ts';
import { honestWork } from '../support/reference-model/work.ts';
import type { Model, World } from '../support/reference-model/world.ts';
import { codecs, keyRing } from '../support/tokens.ts';
import type { TestServer } from '../support/test-server.ts';
import { openTestServer, sealsOf } from '../support/test-server.ts';

/** The number of sessions for each kind of workflow and of token: 100,000 in all. */
const runs = { numRuns: isLong ? 25_000 : 20 };
const timeout = isLong ? 10_800_000 : 120_000;

type Moving = Extract<Draw, { kind: 'move' }>;
type Answering = Extract<Draw, { kind: 'answer' }> & { readonly mode: 'first' | 'second' | 'unknown' };

/** A call of an agent that knows every rule, or of the person it waits for. */
type Play =
  | { readonly kind: 'command'; readonly draw: Draw }
  /** One call that answers the open checkpoint and moves, perhaps repeated. */
  | {
      readonly kind: 'option';
      readonly answer: Answering;
      readonly draw: Moving;
      readonly isRepeated: boolean;
    }
  /** The same call with an earlier token. */
  | { readonly kind: 'stale'; readonly draw: Draw; readonly age: number }
  /** Another agent continues, with the token or the id. */
  | { readonly kind: 'take-over'; readonly by: 'token' | 'id' }
  /** The agent parks the session. */
  | { readonly kind: 'park' }
  /** A child session, which runs to its end. */
  | { readonly kind: 'child' }
  /** The session is exported to another server with the same keys or others. */
  | { readonly kind: 'import'; readonly to: 'same-keys' | 'other-keys' }
  /** The next calls go to a server on the same store with a less strict policy. */
  | { readonly kind: 'lax-server' };

/** Moves that name activities, the end and variables far more often than those of an honest agent do. */
const bold: fc.Arbitrary<Moving> = fc.record({
  kind: fc.constant('move'),
  target: fc.oneof(
    { weight: 4, arbitrary: fc.constant('none' as const) },
    { weight: 5, arbitrary: fc.nat(8) },
    { weight: 3, arbitrary: fc.constant('end' as const) },
  ),
  accounting: fc.oneof(
    { weight: 3, arbitrary: fc.constant('faithful' as const) },
    { weight: 1, arbitrary: fc.constantFrom('everything' as const, 'none' as const, 'empty' as const) },
  ),
  variables: fc.oneof(
    fc.constant({}),
    fc.record(
      {
        a: fc.constantFrom(0, 1, 2),
        b: fc.constantFrom(0, 1, 2),
        d: fc.constantFrom(0, 1),
        m: fc.boolean(),
        items: fc.constantFrom([], ['x'], ['x', 'y', 'z']),
        item: fc.constantFrom('x', 'q'),
      },
      { requiredKeys: [] },
    ),
  ),
});

/** Additional outputs of a move. */
const outputs = fc.record({
  value: fc.nat(2),
  notDone: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([0, 1], { minLength: 1 }) },
  ),
});

function withOutputs(moves: fc.Arbitrary<Draw>): fc.Arbitrary<Play> {
  return fc.tuple(moves, outputs).map(([one, more]): Play => ({
    kind: 'command',
    draw: one.kind === 'move' ? { ...one, ...more } : one,
  }));
}

const optionAndMove: fc.Arbitrary<Play> = fc.record({
  kind: fc.constant('option'),
  answer: fc.record({
    kind: fc.constant('answer'),
    mode: fc.constantFrom('first', 'first', 'second', 'unknown'),
    by: fc.constant('agent'),
    afterMs: fc.constantFrom(0, 3000, 4000),
  }),
  draw: fc.tuple(bold, outputs).map(([one, more]) => ({ ...one, ...more })),
  isRepeated: fc.boolean(),
});

const plays: fc.Arbitrary<readonly Play[]> = fc.array(
  fc.oneof(
    { weight: 14, arbitrary: withOutputs(bold) },
    { weight: 14, arbitrary: withOutputs(draw) },
    { weight: 4, arbitrary: optionAndMove },
    {
      weight: 3,
      arbitrary: fc.tuple(bold, fc.nat(5)).map(([one, age]): Play => ({ kind: 'stale', draw: one, age })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Play[]>(
        { kind: 'take-over', by: 'token' },
        { kind: 'take-over', by: 'id' },
        { kind: 'park' },
        { kind: 'child' },
        { kind: 'import', to: 'same-keys' },
        { kind: 'import', to: 'other-keys' },
        { kind: 'lax-server' },
      ),
    },
  ),
  { minLength: 6, maxLength: 16 },
);

interface PlayedRules extends Rules {
  /** Reversible checkpoints get their default answer. */
  readonly isAutonomous: boolean;
}

const rules: fc.Arbitrary<PlayedRules> = fc.record({
  isStrict: fc.boolean(),
  isHuman: fc.boolean(),
  isAutonomous: fc.boolean(),
});

/** A workflow, with facts about it that are computed without the code under test. */
interface Subject {
  readonly workflow: Workflow;
  readonly world: World;
  readonly watch: () => Watch;
}

/** Returns a description if a move bypassed a person. It uses only the definition. */
type Watch = (move: {
  readonly from: string | undefined;
  /** Absent if the session ended. */
  readonly to: string | undefined;
  readonly isOpen: boolean;
  readonly isHuman: boolean;
  readonly skips: readonly Skip[];
}) => string | undefined;

/** The activities that an answer skips, directly or through a mode. `by` is the activity in which it was given. */
interface Skip {
  readonly by: string;
  readonly places: readonly string[];
}

function skipsOf({ quick }: World, { skippedBy, owners, byAnswer, vars }: Model): readonly Skip[] {
  const placeOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));
  const owner = vars['m'] === true && byAnswer.has('m') ? owners.get('m') : undefined;
  return [
    ...skippedBy.map(({ key, skip }) => ({ by: placeOf(key), places: skip })),
    ...(owner === undefined ? [] : [{ by: placeOf(owner), places: quick?.skip ?? [] }]),
  ];
}

/** Properties that an author can add to a step: a field that sets a variable, `may_be_missing`, and a reversible checkpoint. */
interface Extra {
  readonly fills: 'a' | 'b' | 'm' | undefined;
  readonly mayBeMissing: boolean;
  readonly isReversible: boolean;
}

const extras: fc.Arbitrary<readonly Extra[]> = fc.array(
  fc.record({
    fills: fc.constantFrom(undefined, 'a', 'b', 'b', 'm'),
    mayBeMissing: fc.boolean(),
    isReversible: fc.boolean(),
  }),
  { minLength: 5, maxLength: 5 },
);

function moreOf({ fills, mayBeMissing }: Extra): Pick<ActivityStep, 'fields' | 'sets' | 'may_be_missing'> {
  const type = fills === 'm' ? 'boolean' : 'number';
  return {
    ...(fills === undefined ? {} : { fields: [{ id: 'value', type }], sets: { [fills]: 'value' } }),
    ...(mayBeMissing ? { may_be_missing: true } : {}),
  };
}

/** Adds properties to the steps and checkpoints of each activity. The nth step and the nth checkpoint get the same ones. */
function extended({ activities, more }: GraphSketch, all: readonly Extra[]): GraphSketch {
  const at = (index: number): Extra => all[index % all.length] as Extra;
  return {
    more,
    activities: activities.map((activity, nth) => ({
      ...activity,
      steps: (activity.steps ?? []).map((step, index) => ({ ...step, ...moreOf(at(nth + index)) })),
      checkpoints: (activity.checkpoints ?? []).map((checkpoint, index) => ({
        ...checkpoint,
        ...(at(nth + index).isReversible ? { reversible: true } : {}),
      })),
    })),
  };
}

function extendedSteps(steps: readonly Step[], all: readonly Extra[], from = 0): readonly Step[] {
  return steps.map((step, index): Step => {
    const extra = all[(from + index) % all.length] as Extra;
    if (step.type === 'loop')
      return { ...step, body: extendedSteps(step.body as readonly Step[], all, index + 1) };
    return { ...step, ...moreOf(extra), ...(extra.isReversible ? { reversible: true } : {}) };
  });
}

const subjects: Readonly<Record<string, fc.Arbitrary<Subject>>> = {
  'activity workflow': fc.tuple(graphSketch, extras).map(([plain, all]) => {
    const sketch = extended(plain, all);
    const world = graphWorld(sketch);
    return {
      workflow: activityWorkflow(sketch.activities, sketch.more),
      world,
      watch: () => watchGraph(sketch.activities, world),
    };
  }),
  'step workflow': fc.tuple(stepSketches, extras).map(([plain, all]) => {
    const steps = extendedSteps(plain, all);
    const world = sequenceWorld(steps);
    return { workflow: stepWorkflow(steps), world, watch: () => () => undefined };
  }),
};

/**
 * Watches that agents do not bypass people. If a person's activity was ahead and the session moves without a transition, it
 * must enter that activity before it reaches any activity after it, and before the end. An answer may still skip the activity,
 * but only an answer in an activity that the session had visited before the move, or could not avoid on the path to the person.
 */
function watchGraph(activities: readonly Activity[], world: World): Watch {
  const all = activities.map(({ id }) => id);
  const behind = new Map(all.map((id) => [id, reachable(activities, id)]));
  const isBehind = (person: string, id: string): boolean => behind.get(person)?.has(id) === true;
  const start = all[0] ?? '';
  const visited = new Set<string>();
  const owed = new Map<string, (place: string) => boolean>();
  return ({ from, to, isOpen, isHuman, skips }) => {
    const people = all.filter((id) => world.needsPerson(id, isHuman));
    const isSkipped = (person: string, isAllowed: (place: string) => boolean): boolean =>
      skips.some(({ by, places }) => places.includes(person) && isAllowed(by));
    if (from !== undefined) visited.add(from);
    if (!isOpen) {
      const here = from ?? start;
      const isAhead = (person: string): boolean =>
        isBehind(here, person) || (from === undefined && person === here);
      const before = new Set(visited);
      for (const person of people.filter(isAhead)) {
        if (owed.has(person) || isSkipped(person, () => true)) continue;
        const without = (place: string) => activities.filter(({ id }) => id !== place);
        owed.set(
          person,
          (place) => before.has(place) || place === here || !reachable(without(place), here).has(person),
        );
      }
      const passed = people.find(
        (person) =>
          to !== undefined &&
          to !== person &&
          isBehind(person, to) &&
          (person === start || isBehind(start, person)),
      );
      if (passed !== undefined) return `${from} → ${to}: ${passed} comes before`;
    }
    if (to !== undefined) owed.delete(to);
    for (const [person, isAllowed] of owed) {
      if (to !== undefined && !isBehind(person, to)) continue;
      if (!isSkipped(person, isAllowed)) return `${from} → ${to ?? 'end'}: ${person} was owed`;
      owed.delete(person);
    }
    return undefined;
  };
}

function reachable(activities: readonly Activity[], id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const here = activities.find((one) => one.id === at);
    const { transitions = [], decisions = [], loops = [], checkpoints = [] } = here ?? {};
    const isOwn = transitions.length + decisions.length > 0;
    const homes = isOwn
      ? []
      : activities.filter((one) => one.loops?.some((loop) => loop.activities?.includes(at) === true));
    const next = [
      ...transitions.map(({ to }) => to),
      ...decisions.flatMap(({ branches }) => branches.map(({ transitionTo }) => transitionTo)),
      ...checkpoints.flatMap(({ options }) => options.map(({ effect }) => effect?.transitionTo)),
      ...[...loops, ...homes.flatMap((home) => home.loops ?? [])].flatMap((loop) => loop.activities ?? []),
      ...homes.map((home) => home.id),
    ];
    for (const one of next) {
      if (one === undefined || found.has(one) || !activities.some((other) => other.id === one)) continue;
      found.add(one);
      open.push(one);
    }
  }
  return found;
}

/** A session under attack. */
interface Attack {
  readonly subject: Subject;
  readonly model: Model;
  readonly rules: PlayedRules;
  readonly watch: Watch;
  /** Whether the server that gets the next call accepts default answers. */
  isAutonomous: boolean;
  readonly codec: (typeof codecs)[number]['create'];
  readonly sid: string;
  readonly tokens: string[];
  /** The revision of each token. */
  readonly revisions: Map<string, number>;
  server: TestServer;
  sessions: Sessions;
}

/** The actual and the expected result of a play. */
interface Outcome {
  readonly found: 'accepted' | 'refused';
  readonly expected: 'accepted' | 'refused';
  readonly past?: string | undefined;
}

async function revisionOf({ server, sid }: Attack): Promise<number> {
  return (await server.store.load(sid))?.session.revision ?? 0;
}

function tokenOf({ tokens }: Attack): string {
  return tokens.at(-1) ?? '';
}

function entryOf(
  { subject }: Attack,
  id: string,
  { notDone = [], value = 0, from = '' }: ModelMove & { readonly from: string | undefined },
): ReportedStep {
  if (notDone.includes(id)) return { step_id: id, output: '', not_done: `No ${id}` };
  const { fills } = subject.world.steps(from).find((one) => one.id === id) ?? {};
  if (fills === undefined) return { step_id: id, output: `Did ${id}` };
  return { step_id: id, output: { value: fills === 'm' ? value === 1 : value } };
}

/** Returns a move as an agent sends it from a place. */
function requestOf(attack: Attack, made: ModelMove, from: string | undefined): MoveRequest {
  const { target, manifest: ids, variables } = made;
  return {
    ...(target === undefined ? {} : { activityId: target }),
    ...(ids === undefined ? {} : { manifest: ids.map((id) => entryOf(attack, id, { ...made, from })) }),
    variables,
  };
}

/** Returns the id of an option of the open checkpoint. */
function optionOf({ subject, model }: Attack, mode: Answering['mode']): string {
  const checkpoint = subject.world
    .gates(model.current ?? '')
    .find(({ id }) => id === model.openCheckpoint?.id);
  const ids = { first: checkpoint?.options[0]?.id, second: checkpoint?.options[1]?.id, unknown: undefined };
  return ids[mode] ?? 'nothing';
}

/** Makes a call, and keeps the returned token. */
async function send(attack: Attack, drawn: Draw, token: string): Promise<void> {
  const { sessions, server, sid, subject, model } = attack;
  const keep = (reply: { readonly token: string }): void => void attack.tokens.push(reply.token);
  switch (drawn.kind) {
    case 'move': {
      const made = moveOf(drawn, subject.world, model);
      keep(await sessions.move(token, requestOf(attack, made, model.current)));
      return;
    }
    case 'yield':
      keep(await sessions.yield(token, drawn.checkpoint));
      return;
    case 'abandon':
      await server.person('ana').abandon(sid);
      return;
    case 'answer': {
      const mode =
        drawn.mode === 'auto-advance' || drawn.mode === 'condition-not-met'
          ? ({ kind: drawn.mode } as const)
          : ({ kind: 'option', option: optionOf(attack, drawn.mode) } as const);
      if (drawn.by === 'human') await server.person('ana').respond(sid, { mode });
      else keep(await sessions.answer(token, { mode }));
    }
  }
}

/** Answers and moves like `next_activity` with `option_id`: after a refused move, the answer stays. */
async function sendOption(
  attack: Attack,
  token: string,
  { chosen, request }: { readonly chosen: string; readonly request: MoveRequest },
): Promise<void> {
  const mode = { kind: 'option', option: chosen } as const;
  const answered = await attack.sessions.answer(token, { mode });
  attack.tokens.push(answered.token);
  attack.tokens.push((await attack.sessions.move(answered.token, request)).token);
}

/** Answers and moves in one call. Repeating the call changes nothing. */
async function answerAndMove(
  attack: Attack,
  { answer, draw: drawn, isRepeated }: Extract<Play, { kind: 'option' }>,
): Promise<Outcome> {
  const { model, subject, rules: played, watch, server } = attack;
  const { world } = subject;
  server.nowMs += answer.afterMs;
  const before = await revisionOf(attack);
  const token = tokenOf(attack);
  const chosen = optionOf(attack, answer.mode);
  const isAnswered =
    pauseModel(world, model, { draw: answer, rules: played, nowMs: server.nowMs }) !== 'refused';
  const made = moveOf(drawn, world, model);
  const from = model.current;
  const isOpen = isAnswered && !strays(world, model, made);
  const skips = skipsOf(world, model);
  const isMoved = isAnswered && moveModel(world, model, { move: made, rules: played }) !== 'refused';
  const request = requestOf(attack, made, from);
  const call = async (): Promise<void> => sendOption(attack, token, { chosen, request }).catch(expectRefusal);
  await call();
  if (isRepeated) await call();
  const after = await revisionOf(attack);
  expect(after).toBe(before + (isAnswered ? 1 : 0) + (isMoved ? 1 : 0));
  const found = after > before ? 'accepted' : 'refused';
  const expected = isAnswered ? 'accepted' : 'refused';
  if (!isMoved) return { found, expected };
  const { current: to } = (await attack.sessions.status(tokenOf(attack))).value;
  expect(to).toBe(model.current);
  return { found, expected, past: watch({ from, to, isOpen, isHuman: played.isHuman, skips }) };
}

/** Resumes the session to get its current token after a person wrote to it. */
async function refresh(attack: Attack): Promise<void> {
  const { token } = await attack.sessions.status(tokenOf(attack));
  attack.tokens.push(token);
}

async function command(attack: Attack, draft: Draw): Promise<Outcome> {
  const { model, subject, rules: played, watch } = attack;
  const { world } = subject;
  const [open] = honestWork(world, model).open;
  const drawn =
    draft.kind === 'yield' && draft.checkpoint === 'open'
      ? { ...draft, checkpoint: open?.id ?? 'g0' }
      : draft;
  if (drawn.kind === 'answer') attack.server.nowMs += drawn.afterMs;
  const before = await revisionOf(attack);
  const from = model.current;
  const move = drawn.kind === 'move' ? moveOf(drawn, attack.subject.world, attack.model) : undefined;
  const isOpen = move !== undefined && !strays(world, model, move);
  const skips = skipsOf(world, model);
  await send(attack, drawn, tokenOf(attack)).catch(expectRefusal);
  const found = (await revisionOf(attack)) > before ? 'accepted' : 'refused';
  const verdict =
    move === undefined
      ? pauseModel(world, model, {
          draw: drawn as Exclude<Draw, { kind: 'move' }>,
          rules: played,
          nowMs: attack.server.nowMs,
        })
      : moveModel(world, model, { move, rules: played });
  if (drawn.kind === 'yield' && verdict !== 'refused' && attack.isAutonomous) takeModel(world, model, played);
  const expected = verdict === 'refused' ? 'refused' : 'accepted';
  if (found === 'refused' || move === undefined) {
    if (found === 'accepted') await refresh(attack);
    return { found, expected };
  }
  const { current: to } = (await attack.sessions.status(tokenOf(attack))).value;
  expect(to).toBe(expected === 'accepted' ? model.current : to);
  return { found, expected, past: watch({ from, to, isOpen, isHuman: played.isHuman, skips }) };
}

function expectRefusal(error: unknown): void {
  expect(error).toHaveProperty('code');
  expect(error).not.toHaveProperty('code', 'INTERNAL');
}

/** Makes calls that must not change the state of the session. */
async function feint(attack: Attack, play: Exclude<Play, { kind: 'command' | 'option' }>): Promise<Outcome> {
  const before = await revisionOf(attack);
  const { server, sid, subject, rules: played, codec, model } = attack;
  let expected: Outcome['expected'] = 'refused';
  // An agent that starts with the id or token of a parked session resumes it.
  const resume = (): void => {
    if (!model.isParked) return;
    model.isParked = false;
    model.revision += 1;
    expected = 'accepted';
  };
  switch (play.kind) {
    case 'stale': {
      const older = attack.tokens.filter((token) => (attack.revisions.get(token) ?? before) < before);
      const old = older.at(-1 - play.age);
      const kept = attack.tokens.length;
      if (old !== undefined && old !== tokenOf(attack)) {
        await send(attack, play.draw, old).catch(expectRefusal);
        attack.tokens.length = kept;
      }
      break;
    }
    case 'take-over': {
      const sessionToken = play.by === 'id' ? sid : tokenOf(attack);
      const { token, value } = await attack.sessions.start({ agentId: 'other', sessionToken });
      expect(value.sid).toBe(sid);
      attack.tokens.push(token);
      resume();
      break;
    }
    case 'park': {
      if (parkModel(model) !== 'refused') expected = 'accepted';
      const parked = attack.sessions.park(tokenOf(attack), { reason: 'Later' });
      await parked.then(({ token }) => attack.tokens.push(token), expectRefusal);
      break;
    }
    case 'child': {
      const request = { agentId: 'child', workflowId: subject.workflow.id, parentToken: tokenOf(attack) };
      const { token } = await attack.sessions.start(request);
      await attack.sessions.move(token, { activityId: 'end' }).catch(expectRefusal);
      break;
    }
    case 'import': {
      const lines = server.person('ana').export(sid);
      const seals = sealsOf(keyRing(play.to === 'same-keys' ? 1 : 2));
      const next = openTestServer([subject.workflow], { codec, seals, policy: policyOf(played) });
      next.nowMs = server.nowMs;
      await next.person('bob').import(lines);
      if (play.to === 'other-keys') {
        // There it is read-only, even with a valid token. It continues at its first server.
        const imported = { code: 'SESSION_UNVERIFIED', data: { reason: 'imported' } };
        const token = tokenOf(attack);
        const taken = next.sessions.start({ agentId: 'importer', sessionToken: sid });
        await expect(taken).rejects.toMatchObject(imported);
        await expect(next.sessions.move(token, { activityId: 'end' })).rejects.toMatchObject(imported);
        expect(await next.store.load(sid)).toMatchObject({ session: { revision: before } });
        break;
      }
      attack.server = next;
      attack.sessions = next.sessions;
      attack.isAutonomous = played.isAutonomous;
      resume();
      attack.tokens.push((await next.sessions.start({ agentId: 'importer', sessionToken: sid })).token);
      break;
    }
    case 'lax-server':
      attack.isAutonomous = false;
      attack.sessions = server.sessionsFor({ codec, policy: { minResponseMs: 0 } });
  }
  return { found: (await revisionOf(attack)) > before ? 'accepted' : 'refused', expected };
}

async function playOut(attack: Attack, play: Play): Promise<Outcome> {
  if (play.kind === 'command') return command(attack, play.draw);
  if (play.kind !== 'option') return feint(attack, play);
  if (attack.model.openCheckpoint !== undefined) return answerAndMove(attack, play);
  const asked = await command(attack, { kind: 'yield', checkpoint: 'open' });
  return asked.found === asked.expected ? answerAndMove(attack, play) : asked;
}

function policyOf({
  isStrict,
  isHuman,
  isAutonomous,
}: PlayedRules): NonNullable<Parameters<TestServer['sessionsFor']>[0]['policy']> {
  return {
    enforcement: isStrict ? 'strict' : 'advisory',
    gates: isHuman ? 'human' : 'declared',
    autonomy: isAutonomous ? 'reversible' : 'ask',
  };
}

const cases = Object.entries(subjects).flatMap(([kind, subject]) =>
  codecs.map(({ name, create }) => [kind, name, subject, create] as const),
);

test.each(cases)(
  'an agent that knows every rule never bypasses a person, and is refused nothing that the workflow allows: %s, %s tokens',
  { timeout },
  async (kind, name, subject, codec) => {
    const figures = {
      sessions: 0,
      calls: 0,
      accepted: 0,
      refused: 0,
      'answers with a move': 0,
      completed: 0,
    };
    await fc.assert(
      fc.asyncProperty(subject, rules, plays, async (drawn, played, all) => {
        const server = openTestServer([drawn.workflow], {
          codec,
          seals: sealsOf(keyRing(1)),
          policy: policyOf(played),
        });
        const started = await server.sessions.start({ agentId: 'adversary', workflowId: drawn.workflow.id });
        const attack: Attack = {
          subject: drawn,
          model: newModel(drawn.world, played.isHuman),
          rules: played,
          watch: drawn.watch(),
          isAutonomous: played.isAutonomous,
          codec,
          sid: started.value.sid,
          tokens: [started.token],
          revisions: new Map([[started.token, 1]]),
          server,
          sessions: server.sessions,
        };
        figures.sessions += 1;
        for (const play of all) {
          if (play.kind !== 'command' && attack.model.ended) continue;
          const revision = await revisionOf(attack);
          for (const token of attack.tokens) {
            if (!attack.revisions.has(token)) attack.revisions.set(token, revision);
          }
          const outcome = await playOut(attack, play);
          expect(outcome).toMatchObject({ found: outcome.expected });
          expect(outcome.past).toBeUndefined();
          figures.calls += 1;
          figures[outcome.found] += 1;
          if (play.kind === 'option' && outcome.found === 'accepted') figures['answers with a move'] += 1;
        }
        expect(await revisionOf(attack)).toBe(attack.model.revision);
        const { notDone = [] } = (await attack.sessions.status(tokenOf(attack))).value;
        expect(notDone.map(({ activity, step }) => ({ activity, step }))).toEqual(attack.model.notDone);
        if (attack.model.ended) figures.completed += 1;
      }),
      runs,
    );
    printFigures(`an adversary, ${kind}, ${name} tokens`, {
      ...figures,
      'illegal acceptances': 0,
      'refusals of what is allowed': 0,
    });
  },
);
