import type { SessionStore } from '@workflowlookup/storage';
import type { Insights } from '../../src/insights/insights.ts';
import type { TraceEvent } from '../../src/session-engine/trace.ts';

interface Counted {
  readonly sid: string;
  readonly workflowId: string;
  readonly events: readonly { readonly at: string; readonly data: Record<string, unknown> }[];
  readonly calls: readonly TraceEvent[];
  readonly agents: readonly string[];
}

/** Counts each figure from the journals, in the simplest way. It knows only the outcomes of the workflows in the test. */
export async function countSlowly(
  store: SessionStore,
  { workflowId, now }: { readonly workflowId: string | undefined; readonly now: string },
): Promise<Insights> {
  const { sessions } = await store.find(workflowId === undefined ? {} : { workflowId }, { limit: 1_000 });
  const all: Counted[] = [];
  for (const row of sessions)
    all.push({
      sid: row.sid,
      workflowId: row.workflowId,
      events: (await store.events(row.sid)).map(({ at, data }) => ({ at, data })),
      calls: (await store.calls(row.sid)).map(({ call }) => call as unknown as TraceEvent),
      agents: await store.agents(row.sid),
    });
  const done = all.filter(({ events }) => events.at(-1)?.data['type'] === 'session-completed');
  const kept = done.filter((one) => endOf(one) !== 'abandoned');
  const open = all.flatMap(openWaits);
  const calls = all.map((one) => one.calls.length);
  const chars = all.map(outputOf);
  const read = all.map(readBy).filter((length) => length > 0);
  return {
    sessions: all.length,
    running: all.length - done.length,
    completed: done.length,
    followed: { sessions: kept.filter(isFaithful).length, of: kept.length },
    unverified: 0,
    workflows: most(
      distinct(all.map((one) => one.workflowId)).map((id) => ({
        workflowId: id,
        ...results(
          all.filter((one) => one.workflowId === id),
          'result:',
        ),
        refusedTag: 'refused',
      })),
      ({ sessions: count }) => count,
    ),
    outcomes: most(outcomes(done), ({ sessions: count }) => count),
    refusals: most(refusals(all), ({ count }) => count),
    activities: most(activities(all, now), ({ work }) => work.total),
    people: most(people(all), ({ waits }) => waits.total),
    evidence: evidence(all),
    waiting: {
      checkpoints: open.length,
      ...(open.length > 0 && { since: open.toSorted()[0] ?? '' }),
      waits: spread(open.map((since) => between(since, now))),
    },
    calls: {
      total: total(calls),
      refused: total(all.map((one) => one.calls.filter(({ s }) => s === 'error').length)),
      refusedTag: 'refused',
      median: spread(calls).median,
      p90: spread(calls).p90,
    },
    readTokens: {
      sessions: read.length,
      total: Math.round(total(read) / 4),
      median: Math.round(spread(read).median / 4),
      p90: Math.round(spread(read).p90 / 4),
    },
    agents: agents(all),
    agentRefusals: agentRefusals(all),
    largest: all
      .map((one) => ({
        sid: one.sid,
        workflowId: one.workflowId,
        title: titleOf(one),
        calls: one.calls.length,
        refused: one.calls.filter(({ s }) => s === 'error').length,
        readTokens: Math.round(readBy(one) / 4),
      }))
      .filter(({ readTokens }) => readTokens > 0)
      .toSorted((a, b) => b.readTokens - a.readTokens || (a.sid < b.sid ? -1 : 1))
      .slice(0, 10),
    duration: spread(done.map(({ events }) => between(events[0]?.at, events.at(-1)?.at))),
    output: { total: total(chars), median: spread(chars).median, p90: spread(chars).p90 },
    hooks: [],
    days: distinct(all.map(({ events }) => (events[0]?.at ?? '').slice(0, 10)))
      .toSorted()
      .map((day) => {
        const some = all.filter(({ events }) => events[0]?.at.startsWith(day) === true);
        return { day, tag: `day:${day}`, ...results(some, `day:${day}/`) };
      }),
  };
}

function results(
  some: readonly Counted[],
  tag: string,
): Omit<Insights['workflows'][number], 'workflowId' | 'refusedTag'> {
  const done = some.filter(({ events }) => isEnded(events.at(-1)?.data ?? {}));
  const withResult = (result: string | undefined): number =>
    done.filter((one) => resultOf(endOf(one)) === result).length;
  return {
    sessions: some.length,
    success: withResult('success'),
    failure: withResult('failure'),
    stopped: withResult('stopped'),
    other: withResult(undefined),
    running: some.length - done.length,
    refused: total(some.map((one) => one.calls.filter(({ s }) => s === 'error').length)),
    resultTags: {
      success: `${tag}success`,
      failure: `${tag}failure`,
      stopped: `${tag}stopped`,
      other: `${tag}other`,
      running: `${tag}running`,
    },
  };
}

/** Counts, for each tag of refusals and retries, the sessions that it must find. */
export async function sessionsOfTags(
  store: SessionStore,
  workflowId: string,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const { sessions } = await store.find({ workflowId }, { limit: 1_000 });
  for (const { sid } of sessions) {
    const own = new Set<string>();
    for (const { data } of await store.events(sid)) {
      if (data['type'] !== 'activity-entered') continue;
      const activity = data['activity'] as string;
      const tag = `entered:${activity}`;
      if (own.has(tag)) own.add(`retried:${activity}`);
      own.add(tag);
    }
    for (const { call } of await store.calls(sid)) {
      const { s, act, aid } = call as unknown as TraceEvent;
      if (s !== 'error') continue;
      own.add('refused');
      if (act !== '') own.add(`refused-in:${act}`);
      if (!aid.startsWith('human:')) own.add(`agent-refused:${aid}`);
    }
    for (const tag of own) found.set(tag, (found.get(tag) ?? 0) + 1);
  }
  return found;
}

/** Returns the outcome of a session. It repeats the rules that the workflows of the test declare. */
function endOf({ workflowId, events }: Counted): string {
  if (events.at(-1)?.data['outcome'] === 'abandoned') return 'abandoned';
  const values: Record<string, unknown> = {};
  for (const { data } of events) Object.assign(values, data['variables']);
  if (values['answer'] === 'no') return 'declined';
  if (values['answer'] === 'yes') return 'built';
  if (workflowId === 'first') return 'odd';
  const entered = events.filter(({ data }) => data['type'] === 'activity-entered');
  return entered.length === 0 ? 'completed' : `ended in Name of ${String(entered.at(-1)?.data['activity'])}`;
}

function resultOf(end: string): 'success' | 'stopped' | undefined {
  if (end === 'built') return 'success';
  return end === 'declined' || end === 'abandoned' ? 'stopped' : undefined;
}

function titleOf({ events }: Counted): string {
  return (events[0]?.data['title'] ?? '') as string;
}

/** Returns how many characters of the replies the agents read. Calls of people do not count. */
function readBy({ calls, agents: joined }: Counted): number {
  return total(calls.filter(({ aid }) => joined.includes(aid)).map(({ read = 0 }) => read));
}

function agents(all: readonly Counted[]): Insights['agents'] {
  return distinct(all.flatMap((one) => one.agents)).map((agent) => {
    const own = all.flatMap(({ calls }) => calls).filter(({ aid }) => aid === agent);
    return {
      agent,
      tag: `agent:${agent}`,
      sessions: all.filter((one) => one.agents.includes(agent)).length,
      calls: own.length,
      refused: own.filter(({ s }) => s === 'error').length,
      refusedTag: `agent-refused:${agent}`,
      readTokens: Math.round(total(own.map(({ read = 0 }) => read)) / 4),
    };
  });
}

/** Counts the refused calls of agents. A call that was refused at several steps counts once at each of them. */
function agentRefusals(all: readonly Counted[]): Insights['agentRefusals'] {
  const each = all.flatMap(({ sid, workflowId, calls, agents: joined }) =>
    calls
      .filter(({ s, aid }) => s === 'error' && joined.includes(aid))
      .flatMap(({ aid, act, rj = [] }) =>
        (rj.length === 0 ? [''] : distinct(rj.map(({ step }) => step))).map((step) => ({
          sid,
          key: JSON.stringify([aid, workflowId, act, step]),
        })),
      ),
  );
  return distinct(each.map(({ key }) => key)).map((key) => {
    const [agent = '', workflowId = '', activity = '', step = ''] = JSON.parse(key) as readonly string[];
    const same = each.filter((one) => one.key === key);
    return {
      agent,
      workflowId,
      activity,
      step,
      refused: same.length,
      tag: `agent-refused-at:${activity}/${step}/${agent}`,
      sessions: distinct(same.map(({ sid }) => sid)).length,
    };
  });
}

function isFaithful({ events }: Counted): boolean {
  return events.every(({ data }) => {
    const warnings = (data['warnings'] ?? []) as readonly unknown[];
    return warnings.length === 0 && data['strayed'] !== true;
  });
}

function outcomes(done: readonly Counted[]): Insights['outcomes'] {
  return distinct(done.map((one) => `${one.workflowId} ${endOf(one)}`)).map((key) => {
    const [workflowId = '', ...words] = key.split(' ');
    const outcome = words.join(' ');
    const result = resultOf(outcome);
    return {
      workflowId,
      outcome,
      ...(result !== undefined && { result }),
      tag: `outcome:${outcome}`,
      sessions: done.filter((one) => one.workflowId === workflowId && endOf(one) === outcome).length,
    };
  });
}

/** Returns an entry for each criterion that an output failed, and otherwise for the code of the error. */
function refusalsIn({ workflowId, sid, calls }: Counted): readonly (readonly string[])[] {
  return calls
    .filter(({ s }) => s === 'error')
    .flatMap(({ act, err = '', rj = [] }) =>
      rj.length === 0
        ? [[sid, workflowId, act, '', err.split(':')[0] ?? '']]
        : rj.flatMap(({ step, issues }) => issues.map((issue) => [sid, workflowId, act, step, issue])),
    );
}

function refusals(all: readonly Counted[]): Insights['refusals'] {
  const each = all.flatMap(refusalsIn);
  return distinct(each.map(([, ...reason]) => JSON.stringify(reason))).map((key) => {
    const [workflowId = '', activity = '', step = '', criterion = ''] = JSON.parse(key) as readonly string[];
    const same = each.filter(([, ...reason]) => JSON.stringify(reason) === key);
    return {
      workflowId,
      activity,
      step,
      criterion,
      count: same.length,
      tag: `refused:${activity}/${step}/${criterion}`,
      sessions: distinct(same.map(([sid = '']) => sid)).length,
    };
  });
}

function activities(all: readonly Counted[], now: string): Insights['activities'] {
  const entered = ({ data }: Counted['events'][number]): string | undefined =>
    data['type'] === 'activity-entered' ? String(data['activity']) : undefined;
  const names = distinct(
    all.flatMap((one) =>
      one.events.flatMap((event) => entered(event) ?? []).map((id) => `${one.workflowId} ${id}`),
    ),
  );
  return names.map((name) => {
    const [workflowId = '', activity = ''] = name.split(' ');
    const some = all.filter(
      (one) => one.workflowId === workflowId && one.events.some((event) => entered(event) === activity),
    );
    const visits = total(
      some.map(({ events }) => events.filter((event) => entered(event) === activity).length),
    );
    const waiting = some.filter((one) => openWaits(one).length > 0 && placeOf(one) === activity);
    const open = total(waiting.flatMap(openWaits).map((since) => between(since, now)));
    return {
      workflowId,
      activity,
      tag: `activity:${activity}`,
      sessions: some.length,
      visits,
      retries: visits - some.length,
      retriedTag: `retried:${activity}`,
      refusedTag: `refused-in:${activity}`,
      refused: some.flatMap(({ calls }) => calls).filter(({ s, act }) => s === 'error' && act === activity)
        .length,
      work: spread(some.map((one) => spans(one, activity).work)),
      waited: rounded(total(some.map((one) => spans(one, activity).waited)) + open),
      open: { checkpoints: waiting.length, seconds: rounded(open), tag: `waits-in:${activity}` },
    };
  });
}

function placeOf({ events }: Counted): string {
  return String(events.findLast(({ data }) => data['type'] === 'activity-entered')?.data['activity']);
}

/** Returns the seconds of work and of waiting in one activity. */
function spans({ events }: Counted, activity: string): { readonly work: number; readonly waited: number } {
  let [current, isOpen, work, waited] = ['', false, 0, 0];
  for (const [at, { data }] of events.entries()) {
    const type = data['type'];
    if (type === 'activity-entered') current = String(data['activity']);
    if (type === 'checkpoint-yielded') isOpen = true;
    if (type === 'checkpoint-answered') isOpen = false;
    const next = events[at + 1];
    if (next === undefined || current !== activity) continue;
    const seconds = between(events[at]?.at, next.at);
    // If nobody answers before the session ends, the time does not count as waiting.
    if (isOpen) waited += isEnded(next.data) ? 0 : seconds;
    else work += closes(events, at) ? seconds : 0;
  }
  return { work, waited };
}

function isEnded(data: Record<string, unknown>): boolean {
  return data['type'] === 'session-completed';
}

/** Returns whether a later event ends the work that is in progress at an event. */
function closes(events: Counted['events'], at: number): boolean {
  const ends = ['activity-entered', 'checkpoint-yielded', 'session-completed'];
  return events.slice(at + 1).some(({ data }) => ends.includes(String(data['type'])));
}

function people(all: readonly Counted[]): Insights['people'] {
  const answers = all.flatMap(({ sid, events }) =>
    events.flatMap(({ at, data }, index) => {
      if (data['type'] !== 'checkpoint-answered') return [];
      const asked = events.slice(0, index).findLast((event) => event.data['type'] === 'checkpoint-yielded');
      const earlier = events
        .slice(0, index)
        .findLast((event) => String(event.data['type']).startsWith('checkpoint-'));
      if (asked === undefined || earlier !== asked) return [];
      const origin = data['origin'] as { readonly assurance?: string } | undefined;
      const isByClient = origin?.assurance === 'client';
      const person = String(data['person'] ?? data['by']);
      return [{ sid, person, isByClient, seconds: between(asked.at, at) }];
    }),
  );
  const tagOf = ({ person, isByClient }: (typeof answers)[number]): string =>
    `answered-by${isByClient ? '-client' : ''}:${person}`;
  return distinct(answers.map(tagOf)).map((tag) => {
    const some = answers.filter((one) => tagOf(one) === tag);
    return {
      person: some[0]?.person ?? '',
      ...(some[0]?.isByClient === true && { assurance: 'client' as const }),
      tag,
      sessions: distinct(some.map(({ sid }) => sid)).length,
      waits: spread(some.map(({ seconds }) => seconds)),
    };
  });
}

function evidence(all: readonly Counted[]): Insights['evidence'] {
  const each = all.flatMap(({ sid, workflowId, events }) =>
    events
      .filter(({ data }) => data['type'] === 'evidence-collected')
      .map(({ data }) => ({
        sid,
        key: `${workflowId} ${String(data['activity'])} ${String(data['evidence'])}`,
        outcome: (data['result'] as { readonly outcome: string }).outcome,
      })),
  );
  const figures = distinct(each.map(({ key }) => key)).map((key) => {
    const [workflowId = '', activity = '', id = ''] = key.split(' ');
    const some = each.filter((one) => one.key === key);
    const count = (outcome: string): number => some.filter((one) => one.outcome === outcome).length;
    return {
      workflowId,
      activity,
      evidence: id,
      tag: `evidence:${activity}/${id}`,
      sessions: distinct(some.map(({ sid }) => sid)).length,
      passed: count('passed'),
      failed: count('failed'),
      notConfigured: count('not-configured'),
    };
  });
  return most(figures, ({ failed, notConfigured }) => failed + notConfigured);
}

function openWaits({ events }: Counted): readonly string[] {
  if (events.at(-1)?.data['type'] === 'session-completed') return [];
  const last = events.findLast(({ data }) => String(data['type']).startsWith('checkpoint-'));
  return last?.data['type'] === 'checkpoint-yielded' ? [last.at] : [];
}

function outputOf({ events }: Counted): number {
  const entries = events.flatMap(
    ({ data }) => (data['manifest'] ?? []) as readonly { readonly output: string }[],
  );
  return total(entries.map(({ output }) => output.length));
}

function spread(values: readonly number[]): { count: number; total: number; median: number; p90: number } {
  const sorted = [...values].toSorted((a, b) => a - b);
  // The one or two values in the middle.
  const middle = sorted.filter((_, at) => Math.abs(at - (sorted.length - 1 - at)) <= 1);
  const least = (share: number): number => {
    const enough = sorted.find(
      (value) => sorted.filter((other) => other <= value).length >= share * sorted.length,
    );
    return rounded(enough ?? 0);
  };
  return {
    count: values.length,
    total: rounded(total(values)),
    median: rounded(total(middle) / Math.max(1, middle.length)),
    p90: least(0.9),
  };
}

function between(from = '', to = ''): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function most<Item>(items: readonly Item[], valueOf: (item: Item) => number): readonly Item[] {
  return [...items].toSorted((a, b) => valueOf(b) - valueOf(a));
}
