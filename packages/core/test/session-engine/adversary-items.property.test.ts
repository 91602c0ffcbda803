import type { Json, Workflow } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import { printFigures } from '../../../../test/support/print-figures.ts';
import { workflow as stepWorkflow } from '../support/step-workflows.ts';
import { activityWorkflow } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';
import { openTestServer } from '../support/test-server.ts';

/** The number of sessions for each kind of loop. */
const runs = { numRuns: isLong ? 25_000 : 10 };
const timeout = isLong ? 10_800_000 : 120_000;

/** An item that a person approves before it is dropped. */
interface Item {
  readonly name: string;
  readonly isRisky: boolean;
}

/** The choices of an author. */
interface Sketch {
  /** Only risky items need approval. */
  readonly isForRisky: boolean;
  /** The checkpoint also shows where the items are dropped. */
  readonly showsEnv: boolean;
  /** Another step of the iteration follows the approved one. */
  readonly hasWork: boolean;
  readonly isStrict: boolean;
}

const sketches: fc.Arbitrary<Sketch> = fc.record({
  isForRisky: fc.boolean(),
  showsEnv: fc.boolean(),
  hasWork: fc.boolean(),
  isStrict: fc.boolean(),
});

/** A workflow in which a person approves each item, with the facts that {@link Watch} needs about it. */
interface Subject {
  readonly workflow: Workflow;
  readonly checkpoint: string;
  readonly answers: readonly string[];
  /** Returns whether a place is in the loop. */
  isInside(place: string): boolean;
  /** What all iterations of the loop belong to: the session, one entry of the loop, or one visit of the activity with the loop. */
  readonly scope: 'session' | 'entry' | 'visit';
}

const textOf = ({ showsEnv }: Sketch, marked: (name: string) => string): string =>
  `Drop <${marked('file.name')}>${showsEnv ? ` in ${marked('env')}` : ''}`;

function stepSubject(sketch: Sketch): Subject {
  const drop = {
    id: 'drop',
    title: textOf(sketch, (name) => `{{${name}}}`),
    prompt: 'Drop it.',
    approver: 'human' as const,
    requireConfirmation: sketch.isForRisky ? 'file.isRisky == true' : true,
  };
  const work = { id: 'work', title: 'Work', prompt: 'Work.' };
  return {
    workflow: stepWorkflow([
      'list',
      {
        id: 'each',
        type: 'loop',
        loop: { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 },
        body: sketch.hasWork ? [drop, work] : [drop],
      },
      'deploy',
      'report',
    ]),
    checkpoint: 'confirm',
    answers: ['confirm', 'revise'],
    isInside: (place) => place.startsWith('each@'),
    scope: 'session',
  };
}

function questionOf(sketch: Sketch) {
  return {
    id: 'sign',
    name: 'Sign',
    message: textOf(sketch, (name) => `{${name}}`),
    approver: 'human' as const,
    ...(sketch.isForRisky ? { condition: 'file.isRisky == true' } : {}),
    options: [
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'No' },
    ],
  };
}

const overFiles = {
  id: 'each',
  name: 'Each',
  type: 'forEach',
  over: 'files',
  variable: 'file',
  maxIterations: 9,
} as const;
const behind = [{ id: 'deploy', transitions: [{ to: 'report' }] }, { id: 'report' }];

function loopOverSteps(sketch: Sketch): Subject {
  const steps = [{ id: 'drop', checkpoint: 'sign' }, ...(sketch.hasWork ? [{ id: 'work' }] : [])];
  return {
    workflow: activityWorkflow([
      { id: 'list', transitions: [{ to: 'clean' }] },
      {
        id: 'clean',
        checkpoints: [questionOf(sketch)],
        loops: [{ ...overFiles, steps }],
        transitions: [{ to: 'deploy' }],
      },
      ...behind,
    ]),
    checkpoint: 'sign',
    answers: ['yes', 'no'],
    isInside: (place) => place === 'clean',
    scope: 'visit',
  };
}

function loopOverActivities(sketch: Sketch): Subject {
  const inside = sketch.hasWork ? ['drop', 'work'] : ['drop'];
  return {
    workflow: activityWorkflow([
      { id: 'list', transitions: [{ to: 'host' }] },
      { id: 'host', loops: [{ ...overFiles, activities: inside }], transitions: [{ to: 'deploy' }] },
      {
        id: 'drop',
        steps: [{ id: 'stop', checkpoint: 'sign' }],
        checkpoints: [questionOf(sketch)],
      },
      { id: 'work' },
      ...behind,
    ]),
    checkpoint: 'sign',
    answers: ['yes', 'no'],
    isInside: (place) => inside.includes(place),
    scope: 'entry',
  };
}

const subjects: Readonly<Record<string, (sketch: Sketch) => Subject>> = {
  'a loop of a step workflow': stepSubject,
  'a loop over steps': loopOverSteps,
  'a loop over activities': loopOverActivities,
};

const names = ['ale', 'bun', 'cod', 'dip'];
const item = fc.record({ name: fc.constantFrom(...names, 'egg', 'fig'), isRisky: fc.boolean() });
const firstFiles = fc
  .tuple(fc.integer({ min: 1, max: names.length }), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
  .map(([count, risks]) =>
    names.slice(0, count).map((name, at): Item => ({ name, isRisky: risks[at] !== false })),
  );

/** The changes that an agent can make to a list. */
type Change = 'shorten' | 'empty' | 'reverse' | 'calm' | 'replace' | 'append' | 'unset' | 'rename';

function changed(files: readonly Item[], change: Change, other: Item): Json {
  switch (change) {
    case 'shorten':
      return files.slice(0, -1) as unknown as Json;
    case 'empty':
      return [];
    case 'reverse':
      return files.toReversed() as unknown as Json;
    case 'calm':
      return files.map((one) => ({ ...one, isRisky: false }));
    case 'replace':
      return [{ ...other }, ...files.slice(1)] as unknown as Json;
    case 'append':
      return [...files, { ...other, name: `${other.name}${files.length}` }] as unknown as Json;
    case 'unset':
      return null;
    case 'rename':
      return files.map(({ isRisky }) => ({ name: other.name, isRisky }));
  }
}

const writes = fc.record(
  {
    files: fc.tuple(
      fc.constantFrom<Change>('shorten', 'empty', 'reverse', 'calm', 'replace', 'append', 'unset', 'rename'),
      item,
    ),
    env: fc.constantFrom('staging', 'prod'),
    file: fc.record({ name: fc.constant('gum'), isRisky: fc.constant(false) }),
    'file.isRisky': fc.constant(false),
    'file.name': fc.constant('ham'),
    'files.0': fc.record({ name: fc.constant('ice'), isRisky: fc.constant(false) }),
  },
  { requiredKeys: [] },
);
type Writes = typeof writes extends fc.Arbitrary<infer T> ? T : never;

const targets = ['', '', '', '', 'list', 'host', 'clean', 'drop', 'each@1::drop', 'deploy', 'report', 'end'];

/** A call of an agent that knows every rule, or of the person it waits for. */
type Play =
  | { readonly kind: 'move'; readonly target: string; readonly isFaithful: boolean; readonly writes: Writes }
  | { readonly kind: 'yield'; readonly writes: Writes }
  | { readonly kind: 'agent-answers'; readonly option: number }
  | { readonly kind: 'person-answers'; readonly option: number };

const plays: fc.Arbitrary<readonly Play[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('move' as const),
        target: fc.constantFrom(...targets),
        isFaithful: fc.oneof(
          { weight: 4, arbitrary: fc.constant(true) },
          { weight: 1, arbitrary: fc.constant(false) },
        ),
        writes: fc.oneof(fc.constant({}), writes),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('yield' as const),
        writes: fc.oneof(fc.constant({}), writes),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('agent-answers' as const), option: fc.nat(2) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('person-answers' as const),
        option: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
      }),
    },
  ),
  { minLength: 8, maxLength: 24 },
);

/** A session as it can be seen from outside. */
interface Seen {
  readonly status: string;
  readonly current?: string;
  readonly variables: Readonly<Record<string, Json>>;
  readonly checkpoint?: { readonly activity: string };
  /** The number of moves. */
  readonly moves: number;
}

/** A checkpoint about an item. */
interface Asked {
  readonly item: string;
  /** The activity with the checkpoint. */
  readonly activity: string;
}

/** An answer of a person and what they saw, kept until the session leaves the activity that the answer opened. */
interface Signed extends Asked {
  readonly env: Json | undefined;
  /** The number of moves before the answer. */
  readonly moves: number;
  opened?: string;
}

/**
 * Checks a session by what can be seen from outside. It only knows the documented rules: each item of the list is shown to
 * a person, and a shown item does not change.
 */
class Watch {
  readonly #subject: Subject;
  readonly #sketch: Sketch;
  #before: Seen | undefined;
  /** The items that a person must see: all that were in the list since the session entered the loop. */
  #owed: readonly Item[] | undefined;
  #isPast = false;
  #asked: Asked | undefined;
  readonly #answered = new Set<string>();
  #signed: Signed[] = [];

  constructor(subject: Subject, sketch: Sketch) {
    this.#subject = subject;
    this.#sketch = sketch;
  }

  /** Records the item that a yielded checkpoint shows. */
  ask(message: string, { checkpoint, moves }: Seen): void {
    // When an activity is entered again, its checkpoint replaces the earlier one.
    this.#signed = this.#signed.filter((one) => one.activity !== checkpoint?.activity || one.moves === moves);
    const shown = /<(?<item>[^<>]*)>/.exec(message)?.groups?.['item'] ?? '';
    this.#asked = { item: shown, activity: checkpoint?.activity ?? '' };
  }

  answer(option: string, { checkpoint, variables, moves }: Seen): void {
    // Repeating an answer changes nothing.
    if (checkpoint === undefined) return;
    const asked = this.#asked ?? { item: '', activity: '' };
    const { item: shown, activity } = asked;
    this.#signed = this.#signed.filter((one) => !this.#isSameQuestion(one, asked));
    if (option !== 'revise') this.#answered.add(shown);
    const env = this.#sketch.showsEnv ? (variables['env'] ?? null) : undefined;
    this.#signed.push({ item: shown, activity, env, moves });
  }

  /** Records that the checkpoint was dismissed. Earlier answers stay valid. */
  dismiss(): void {
    this.#asked = undefined;
  }

  /** Returns the first rule that the session broke. */
  problem(now: Seen): string | undefined {
    const before = this.#before;
    this.#before = now;
    return this.#changeOfSigned(now) ?? this.#unsigned(before, now);
  }

  /** Returns a problem if a shown item changed before the session left the activity that the answer opened. */
  #changeOfSigned({ current, checkpoint, variables, status }: Seen): string | undefined {
    const asks = (one: Signed): boolean =>
      checkpoint !== undefined && this.#asked !== undefined && this.#isSameQuestion(one, this.#asked);
    const isOver = (one: Signed): boolean =>
      status === 'completed' || (one.opened !== undefined && one.opened !== current);
    this.#signed = this.#signed.filter((one) => !isOver(one));
    for (const one of this.#signed) if (current !== one.activity) one.opened ??= current ?? '';
    const wrong = this.#signed.find(
      (one) => !asks(one) && one.env !== undefined && one.env !== (variables['env'] ?? null),
    );
    return (
      wrong &&
      `${wrong.item} was signed in ${JSON.stringify(wrong.env)}, now ${JSON.stringify(variables['env'])}`
    );
  }

  /** Returns whether two questions are the same. Only a loop over steps asks about several items in one activity. */
  #isSameQuestion(one: Asked, other: Asked): boolean {
    return one.activity === other.activity && (this.#subject.scope !== 'visit' || one.item === other.item);
  }

  /** Returns a problem if the session passed the loop although a person did not see an item, or the list lost one. */
  #unsigned(before: Seen | undefined, now: Seen): string | undefined {
    const { isInside, scope } = this.#subject;
    const { current: place = '', variables } = now;
    const left = this.#isLeft(before, now) ? this.#leave(now) : undefined;
    if (left !== undefined) return left;
    if (place === 'list' && scope !== 'session') this.#owed = undefined;
    if (isInside(place) && this.#isEntry(before, now)) {
      this.#owed = filesIn(variables);
      this.#answered.clear();
      this.#isPast = false;
    }
    if (this.#owed === undefined || this.#isPast) return undefined;
    if (!isInside(place) && scope !== 'session' && place !== 'host') return undefined;
    const files = filesIn(variables);
    const kept = JSON.stringify(files.slice(0, this.#owed.length)) === JSON.stringify(this.#owed);
    if (!kept) return `the list of the open loop became ${JSON.stringify(variables['files'])}`;
    this.#owed = files;
    return this.#early(place);
  }

  /** Returns whether the session has passed the loop, or has left its activity or the last step of its last iteration. */
  #isLeft(before: Seen | undefined, { current, status, moves }: Seen): boolean {
    if (current === 'deploy' || current === 'report' || status === 'completed') return true;
    if (this.#subject.scope === 'visit') return before?.current === 'clean' && before.moves !== moves;
    const last = `each@${(this.#owed?.length ?? 0) - 1}::${this.#sketch.hasWork ? 'work' : 'drop'}`;
    return before?.current === last && current !== last;
  }

  /** Returns a problem if the session leaves or bypasses the loop before a person has seen each item. */
  #leave({ current = 'end', variables }: Seen): string | undefined {
    if (this.#isPast) return undefined;
    const items = this.#owed ?? filesIn(variables);
    this.#isPast = true;
    const missed = items.filter((one) => this.#isOwed(one));
    return missed.length === 0
      ? undefined
      : `${current}: nobody signed ${missed.map(({ name }) => name).join()}`;
  }

  /** Returns a problem if the session reached an iteration before a person saw the items of the earlier ones. */
  #early(place: string): string | undefined {
    const [, iteration, step] = /^each@(\d+)::(\w+)$/.exec(place) ?? [];
    if (iteration === undefined) return undefined;
    const done = this.#owed?.slice(0, Number(iteration) + (step === 'work' ? 1 : 0)) ?? [];
    const missed = done.find((one) => this.#isOwed(one));
    return missed && `${place}: nobody signed ${missed.name}`;
  }

  #isOwed({ name, isRisky }: Item): boolean {
    return (isRisky || !this.#sketch.isForRisky) && !this.#answered.has(name);
  }

  #isEntry(before: Seen | undefined, now: Seen): boolean {
    const { scope } = this.#subject;
    const isFirst = this.#owed === undefined || this.#isPast;
    if (scope === 'visit') return before?.moves !== now.moves;
    if (scope === 'session') return this.#owed === undefined;
    // With an empty list, no iteration begins, so an agent that goes there has not entered the loop.
    return isFirst && before?.current === 'host' && filesIn(now.variables).length > 0;
  }
}

function filesIn({ files }: Seen['variables']): readonly Item[] {
  return Array.isArray(files) ? files : [];
}

/** A session under attack. */
interface Attack {
  readonly server: TestServer;
  readonly subject: Subject;
  readonly watch: Watch;
  readonly sid: string;
  token: string;
}

/** Reads a session from its journal. */
async function look({ server, sid }: Attack): Promise<Seen> {
  let seen: Seen = { status: 'active', variables: {}, moves: 0 };
  for (const { data } of await server.store.events(sid)) {
    const event = data as unknown as Pick<Seen, 'variables'> & { type: string; activity: string };
    const { checkpoint: _gate, ...rest } = seen;
    const variables = { ...seen.variables, ...event.variables };
    if (event.type === 'activity-entered')
      seen = { ...rest, variables, current: event.activity, moves: seen.moves + 1 };
    else if (event.type === 'checkpoint-yielded')
      seen = { ...rest, variables, checkpoint: { activity: event.activity } };
    else if (event.type === 'session-completed')
      seen = { status: 'completed', variables, moves: seen.moves + 1 };
    else seen = { ...rest, variables };
  }
  return seen;
}

/** Returns the steps that the status requires for the next move. */
async function dueSteps(attack: Attack): Promise<readonly string[]> {
  const { next } = (await attack.server.sessions.status(attack.token)).value;
  return next
    .flatMap((call) => (call.kind === 'move' ? call.steps : []))
    .filter((id, at, all) => all.indexOf(id) === at);
}

async function make(attack: Attack, play: Play, seen: Seen): Promise<void> {
  const { server, subject, sid, watch } = attack;
  const { sessions } = server;
  switch (play.kind) {
    case 'move': {
      const steps = play.isFaithful && seen.checkpoint === undefined ? await dueSteps(attack) : [];
      const variables = valuesOf(play.writes, seen);
      const to = play.target === '' ? {} : { activityId: play.target };
      const manifest = steps.map((id) => ({ step_id: id, output: 'Done.' }));
      attack.token = (await sessions.move(attack.token, { ...to, manifest, variables })).token;
      return;
    }
    case 'yield':
      attack.token = (
        await sessions.yield(attack.token, subject.checkpoint, valuesOf(play.writes, seen))
      ).token;
      watch.ask(await questionIn(attack), await look(attack));
      return;
    case 'agent-answers': {
      server.nowMs += 5000;
      const option = subject.answers[play.option];
      const mode =
        option === undefined
          ? ({ kind: 'condition-not-met' } as const)
          : ({ kind: 'option', option } as const);
      attack.token = (await sessions.answer(attack.token, { mode })).token;
      watch.dismiss();
      return;
    }
    case 'person-answers': {
      const option = subject.answers[play.option] ?? '';
      await server.person('ana').respond(sid, { mode: { kind: 'option', option } });
      watch.answer(option, seen);
      attack.token = (await sessions.status(attack.token)).token;
    }
  }
}

function valuesOf({ files, ...others }: Writes, { variables }: Seen): Readonly<Record<string, Json>> {
  const list = files === undefined ? {} : { files: changed(filesIn(variables), ...files) };
  return { ...list, ...(others as Readonly<Record<string, Json>>) };
}

async function questionIn({ server, token }: Attack): Promise<string> {
  const { checkpoint } = (await server.sessions.present(token)).value;
  return `${checkpoint.name} ${checkpoint.message}`;
}

/** Returns whether a call was carried out. */
async function isMade(attack: Attack, play: Play, seen: Seen): Promise<boolean> {
  try {
    await make(attack, play, seen);
    return true;
  } catch (error) {
    expect(error).toHaveProperty('code');
    expect(error).not.toHaveProperty('code', 'INTERNAL');
    return false;
  }
}

/** Expects that an agent that follows the status, with a person who agrees, reaches the end without a refusal. */
async function finish(attack: Attack): Promise<void> {
  for (let calls = 0; ; calls += 1) {
    expect(calls).toBeLessThan(200);
    const seen = await look(attack);
    if (seen.status === 'completed') return;
    const { next, obstacle } = (await attack.server.sessions.status(attack.token)).value;
    const isStopped = next.some(({ kind }) => kind === 'yield');
    const files = [{ name: 'last', isRisky: true }];
    const variables = obstacle === undefined ? {} : { files };
    const isAtQuestion = seen.current === 'clean' || seen.current?.endsWith('::drop') === true;
    const isUncounted = isAtQuestion && !Array.isArray(seen.variables['files']);
    const given: Writes = isUncounted ? { files: ['append', { name: 'last', isRisky: true }] } : {};
    if (seen.checkpoint !== undefined) await make(attack, { kind: 'person-answers', option: 0 }, seen);
    else if (isStopped || isUncounted) await make(attack, { kind: 'yield', writes: given }, seen);
    else {
      const [move] = next.flatMap((call) => (call.kind === 'move' ? [call] : []));
      const manifest = (move?.steps ?? []).map((id) => ({ step_id: id, output: 'Done.' }));
      const to = move?.activity === undefined ? {} : { activityId: move.activity };
      attack.token = (await attack.server.sessions.move(attack.token, { ...to, manifest, variables })).token;
    }
    expect(attack.watch.problem(await look(attack))).toBeUndefined();
  }
}

test.each(Object.entries(subjects))(
  'a person sees each item before the session passes it, and a seen item does not change: %s',
  { timeout },
  async (kind, subjectOf) => {
    const figures = { sessions: 0, calls: 0, accepted: 0, refused: 0, signed: 0 };
    await fc.assert(
      fc.asyncProperty(sketches, firstFiles, plays, async (sketch, files, all) => {
        const subject = subjectOf(sketch);
        const server = openTestServer([subject.workflow], {
          policy: { enforcement: sketch.isStrict ? 'strict' : 'advisory' },
        });
        const { sessions } = server;
        const started = await sessions.start({ agentId: 'adversary', workflowId: subject.workflow.id });
        const watch = new Watch(subject, sketch);
        const attack: Attack = { server, subject, watch, sid: started.value.sid, token: started.token };
        const variables = { files: files as unknown as Json, env: 'staging' };
        attack.token = (await sessions.move(attack.token, {})).token;
        const manifest = (await dueSteps(attack)).map((id) => ({ step_id: id, output: 'Done.' }));
        attack.token = (await sessions.move(attack.token, { manifest, variables })).token;
        expect(watch.problem(await look(attack))).toBeUndefined();
        figures.sessions += 1;
        for (const play of all) {
          const seen = await look(attack);
          if (seen.status === 'completed') break;
          const made = await isMade(attack, play, seen);
          figures.calls += 1;
          figures[made ? 'accepted' : 'refused'] += 1;
          if (made && play.kind === 'person-answers') figures.signed += 1;
          if (made) expect(watch.problem(await look(attack))).toBeUndefined();
        }
        await finish(attack);
      }),
      runs,
    );
    printFigures(`items that a person signs, ${kind}`, { ...figures, 'illegal acceptances': 0 });
  },
);
