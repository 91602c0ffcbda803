import { WorkflowError } from '@workflowlookup/schema';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { HostJobs, JobLimits } from '../src/jobs/create-jobs.ts';
import { createJobs } from '../src/jobs/create-jobs.ts';
import type { JobAnswer, JobAsk, JobKind } from '../src/jobs/run-job.ts';
import { runHostJob } from '../src/jobs/run-job.ts';
import { jobMessages } from '../src/messages.ts';

// The worker threads run the build, so run `node scripts/run.mjs build` first.

const opened: HostJobs[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((jobs) => jobs.close()));
});

function open(limits: Partial<JobLimits> = {}): HostJobs {
  const jobs = createJobs({ deadlineMs: 60_000, walkDeadlineMs: 60_000, ...limits });
  opened.push(jobs);
  return jobs;
}

/** Options that move every job to a worker. */
const allInWorkers = { stepsPerJob: 0 };

const ann = { principal: 'ann' };
const ben = { principal: 'ben' };

/** Returns the result of a job, or the code, message and data of its error. */
function outcome<T>(work: Promise<T>): Promise<unknown> {
  return work.catch((error: unknown) => {
    if (!(error instanceof WorkflowError)) throw error;
    const { code, message, data } = error;
    return { code, message, data };
  });
}

function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof WorkflowError ? error.code : error),
  );
}

const schemaRule = (at: number): object => ({
  type: 'schema',
  message: 'It has the properties.',
  schema: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`p${at}-${n}`, { type: 'string', minLength: n }]),
    ),
  },
});

/** 700 schemas, none of which is too large by itself. */
const manySchemas = Array.from({ length: 700 }, (_, at) => schemaRule(at));

/** Criteria that need most of the permitted computation steps, because the pattern is tried at every character. */
const slowCriteria = { type: 'regex', pattern: '(a|b|ab)*c{1,40}(x|y)*z' };
const slowOutput = 'ab'.repeat(120_000);

describe('jobs have the same result on every thread', () => {
  const rule = fc.oneof(
    fc.record({ type: fc.constant('contains'), value: fc.string() }),
    fc.record({ type: fc.constant('regex'), pattern: fc.oneof(fc.string(), fc.constant('(a|b)+c?')) }),
    fc.record({ type: fc.constant('length'), min: fc.integer({ min: -1, max: 9 }), max: fc.nat(9) }),
    fc.record({
      type: fc.constant('schema'),
      schema: fc.oneof(
        fc.jsonValue(),
        fc.constant({ type: 'object', required: ['a'] }),
        fc.constant({ $ref: '#' }),
      ),
    }),
    fc.record({
      type: fc.constant('contains'),
      value: fc.string(),
      condition: fc.oneof(fc.constant({ var: 'a', equals: 1 }), fc.constant('a > 2'), fc.jsonValue()),
    }),
  );
  const criteria = fc.oneof(
    rule,
    fc.array(rule, { maxLength: 4 }),
    fc.record({ or: fc.array(rule, { maxLength: 3 }) }),
    fc.record({ not: rule }),
    fc.jsonValue(),
  );
  const context = fc.dictionary(
    fc.constantFrom('a', 'b'),
    fc.oneof(fc.integer(), fc.string(), fc.constant(Infinity)),
  );
  const output = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constant('['.repeat(600)),
    fc.constant('ab'.repeat(5_000)),
  );

  async function sameEverywhere<Kind extends JobKind>(
    jobs: HostJobs,
    kind: Kind,
    ask: JobAsk<Kind>,
  ): Promise<void> {
    const here = await outcome<JobAnswer<Kind>>(runHostJob(kind, ask));
    expect(await outcome(jobs.run(kind, ask, ann))).toEqual(here);
  }

  test.each([
    ['in a worker', allInWorkers],
    ['begun on the main thread', { stepsPerJob: 20_000 }],
  ])('for criteria %s', async (_, limits) => {
    const jobs = open(limits);
    await fc.assert(
      fc.asyncProperty(fc.record({ criteria, output, context }), async (ask) => {
        await sameEverywhere(jobs, 'judge', ask);
        await sameEverywhere(jobs, 'try-criteria', ask);
      }),
      { numRuns: 60 },
    );
    expect(jobs.counts().inWorkers).toBeGreaterThan(60);
  });

  test('for definitions', async () => {
    const jobs = open(allInWorkers);
    const definition = {
      id: 'a-flow',
      name: 'A',
      description: 'A.',
      version: '1.0.0',
      steps: [{ id: 'one', title: 'One', prompt: 'Do it.' }],
    };
    const step = { id: 'two', title: 'Two', prompt: 'Do it.' };
    const texts = [
      definition,
      { ...definition, steps: [{ ...step, validationCriteria: schemaRule(1) }] },
      { ...definition, steps: [{ ...step, validationCriteria: { type: 'schema', schema: { type: 7 } } }] },
      { ...definition, steps: [{ ...step, runCondition: { var: 'a', matches: '(' } }] },
      { id: 7 },
    ].map((value) => JSON.stringify(value));
    for (const text of [...texts, '', '{', '\uFEFFnull']) {
      await sameEverywhere(jobs, 'check-text', { text });
      await sameEverywhere(jobs, 'read-draft', { text, format: 'yaml' });
      await sameEverywhere(jobs, 'walk', { workflow: { text, format: 'yaml' } });
    }
    // The empty text needs no computation steps, so it stays on the main thread.
    expect(jobs.counts()).toEqual({ here: 1, inWorkers: 23 });
  });
});

describe('a job that is too expensive', () => {
  test('is refused before its schemas are compiled, and does not block the main thread', async () => {
    const jobs = open();
    expect(await codeOf(jobs.run('judge', { criteria: manySchemas, output: '{}' }, ann))).toBe('TOO_COSTLY');
    expect(jobs.counts()).toEqual({ here: 0, inWorkers: 1 });
  });

  test('is reported for a definition with the position of its criteria', async () => {
    const jobs = open();
    const steps = [
      { id: 'one', title: 'One', prompt: 'Do it.', validationCriteria: manySchemas.slice(0, 150) },
    ];
    const text = JSON.stringify({ id: 'a-flow', name: 'A', description: 'A.', version: '1.0.0', steps });
    const { valid, issues } = await jobs.run('check-text', { text }, ann);
    expect(valid).toBe(false);
    expect(issues).toEqual([expect.stringContaining('/steps/0/validationCriteria')]);
    expect(jobs.counts()).toEqual({ here: 0, inWorkers: 1 });
  });

  test('moves from the main thread to a worker', async () => {
    const jobs = open();
    const ask = { criteria: slowCriteria, output: slowOutput };
    const { valid } = await jobs.run('judge', ask, ann);
    expect(valid).toBe(false);
    expect(jobs.counts()).toEqual({ here: 0, inWorkers: 1 });
  });

  test('ends at its deadline, and the next job runs', async () => {
    const jobs = open({ ...allInWorkers, deadlineMs: 0 });
    // The job would take seconds, so the timer fires first even on a busy machine.
    const criteria = Array.from({ length: 100 }, () => slowCriteria);
    expect(await codeOf(jobs.run('judge', { criteria, output: slowOutput }, ann))).toBe('TOO_COSTLY');
    expect(await codeOf(jobs.run('walk', { workflow: { text: '{}', format: 'json' } }, ann))).toBe(
      'INVALID_WORKFLOW',
    );
  });

  test('ends the worker but not the server if it uses too much memory, and the next job runs', async () => {
    const jobs = open({ ...allInWorkers, memoryMb: 12 });
    const rule = { type: 'contains', value: 'x'.repeat(50) };
    const criteria = Array.from({ length: 60_000 }, () => rule);
    expect(await outcome(jobs.run('try-criteria', { criteria, output: 'a' }, ann))).toMatchObject({
      code: 'TOO_COSTLY',
      message: jobMessages.outOfMemory(),
    });
    expect(await codeOf(jobs.run('judge', { criteria: rule, output: 'a' }, ann))).toBe('done');
  });
});

describe('the jobs of a principal', () => {
  test('take turns with those of others', async () => {
    const jobs = open({ ...allInWorkers, workers: 1 });
    const order: string[] = [];
    const run = (who: { readonly principal: string }): Promise<unknown> =>
      jobs.run('judge', { criteria: 'a', output: 'a' }, who).then(() => order.push(who.principal));
    await Promise.all([run(ann), run(ann), run(ann), run(ben), run(ben)]);
    expect(order).toEqual(['ann', 'ben', 'ann', 'ben', 'ann']);
  });

  test('are refused with the time to wait if too many of them are waiting', async () => {
    const jobs = open({ ...allInWorkers, waiting: 2 });
    const ask = { criteria: slowCriteria, output: slowOutput };
    const ends = await Promise.all(
      Array.from({ length: 5 }, () =>
        outcome(jobs.run('judge', ask, ann)).then((end) => ('code' in Object(end) ? end : 'done')),
      ),
    );
    const refused = ends.filter((end) => end !== 'done');
    const busy = { code: 'BUSY', data: { retry_after_seconds: 1, max_waiting: 2 } };
    expect(refused).toEqual([expect.objectContaining(busy), expect.objectContaining(busy)]);
    expect(await codeOf(jobs.run('judge', ask, ben))).toBe('done');
  });

  test('run in workers once the principal has used up its time on the main thread', async () => {
    const jobs = open({ stepsHere: 100_000, stepsPerSecond: 0 });
    const ask = { criteria: slowCriteria, output: 'ab'.repeat(100) };
    for (let count = 0; count < 20; count += 1) await jobs.run('judge', ask, ann);
    const used = jobs.counts();
    expect(used.here).toBeGreaterThan(0);
    expect(used.inWorkers).toBeGreaterThan(0);
    await jobs.run('judge', ask, ben);
    expect(jobs.counts().here).toBe(used.here + 1);
  });
});

test('Closing the jobs ends running ones', async () => {
  const jobs = open(allInWorkers);
  const work = codeOf(jobs.run('judge', { criteria: slowCriteria, output: slowOutput }, ann));
  await jobs.close();
  expect(await work).not.toBe('done');
});

test('Criteria can be tried together with the fields of a step, which must be valid', async () => {
  const fields = [{ id: 'cause', description: 'Why it broke', min_length: 30 }];
  const tried = (asked: object): Promise<unknown> =>
    outcome(runHostJob('try-criteria', { output: '{"cause":"short"}', text: JSON.stringify(asked) }));
  expect(await tried({ fields })).toMatchObject({ verdict: { valid: false, issues: [expect.any(String)] } });
  const text = 'fields:\n  - id: cause\n    min_length: 3\n';
  expect(await runHostJob('try-criteria', { output: '{"cause":"short"}', text })).toMatchObject({
    verdict: { valid: true },
  });
  for (const wrong of [{ cause: 'text' }, [{ id: 'cause', min_lenght: 3 }], [{ id: 'a' }, { id: 'a' }]]) {
    expect(await tried({ fields: wrong })).toMatchObject({
      code: 'INVALID_CRITERIA',
      data: { problems: [expect.objectContaining({ severity: 'error' })] },
    });
  }
});
