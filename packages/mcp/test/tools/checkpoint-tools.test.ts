import { describe, expect, test } from 'vitest';
import type { Question } from '../../src/tool-support/tool.ts';
import { messages } from '../../src/messages.ts';
import { atMix, openBakery, stoppedAt } from '../support/bakery.ts';

describe('a checkpoint', () => {
  test('is yielded with a handle and instructions', async () => {
    const bakery = await openBakery();
    const token = await atMix(bakery);
    const yielded = await bakery.call('yield_checkpoint', {
      session_token: token,
      checkpoint_id: 'bake-now',
    });
    expect(yielded.json).toEqual({
      status: 'yielded',
      checkpoint_id: 'bake-now',
      checkpoint_handle: yielded.token,
      message: messages.yielded(true),
      session_token: yielded.token,
    });
  });

  test('is addressed to the orchestrator if there is a second agent', async () => {
    const bakery = await openBakery();
    const first = await atMix(bakery);
    const { token } = await bakery.call('start_session', { agent_id: 'worker', session_token: first });
    const yielded = await bakery.call('yield_checkpoint', {
      session_token: token,
      checkpoint_id: 'bake-now',
    });
    expect(yielded.json['message']).toBe(messages.yielded(false));
  });

  test('is presented completely for its handle or for a token', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'bake-now');
    const { text } = await bakery.call('present_checkpoint', { checkpoint_handle: handle });
    expect(text).toContain(`checkpoint_handle: ${handle}\n`);
    expect(text).toContain('answered_by: user\n');
    expect(text).toContain('message: Bake with rye?\n');
    expect(text).toContain('autoAdvanceMs: 60000');
    expect((await bakery.call('present_checkpoint', { session_token: handle })).text).toBe(text);
    const neither = await bakery.call('present_checkpoint');
    expect(neither).toMatchObject({ isError: true, text: expect.stringContaining('checkpoint_handle') });
  });

  test('names the place where a person can answer, if only a person can', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'taste');
    const { text } = await bakery.call('present_checkpoint', { checkpoint_handle: handle });
    expect(text).toMatch(/answered_by: person\nhuman_answers_with: respond [0-9a-f]{20}\n/);
  });

  test.each([
    { modes: {}, found: 0 },
    { modes: { option_id: 'yes', auto_advance: true }, found: 2 },
    { modes: { auto_advance: true, condition_not_met: true }, found: 2 },
    { modes: { auto_advance: false }, found: 0 },
    { modes: { condition_not_met: false }, found: 0 },
  ])('accepts exactly one answer, so that $modes is refused', async ({ modes, found }) => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'bake-now');
    bakery.pass(120_000);
    const refused = await bakery.call('respond_checkpoint', { checkpoint_handle: handle, ...modes });
    expect(refused).toMatchObject({ isError: true, text: messages.oneAnswer(found) });
    expect(refused.meta['workflowlookup/error']).toMatchObject({ name: 'INVALID_INPUT' });
  });

  test.each([
    {
      checkpoint: 'bake-now',
      modes: { option_id: 'yes', auto_advance: false },
      says: { resolved_option: 'yes', effect: { setVariable: { hot: true } } },
    },
    { checkpoint: 'bake-now', modes: { auto_advance: true }, says: { resolved_option: 'no' } },
    { checkpoint: 'only-humid', modes: { condition_not_met: true }, says: { dismissed: true } },
  ])('can be answered with $modes', async ({ checkpoint, modes, says }) => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, checkpoint);
    bakery.pass(60_000);
    const answered = await bakery.call('respond_checkpoint', { checkpoint_handle: handle, ...modes });
    expect(answered.json).toEqual({
      checkpoint_id: checkpoint,
      resolved: true,
      checkpoint_handle: answered.token,
      ...says,
      session_token: answered.token,
    });
    const resumed = await bakery.call('resume_checkpoint', { session_token: answered.token });
    expect(resumed.json).toMatchObject({ status: 'resumed', session_token: resumed.token });
  });

  test('is identified by the handle even if there is also a token', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'bake-now');
    const args = { checkpoint_handle: handle, session_token: 'nonsense' };
    expect((await bakery.call('present_checkpoint', args)).isError).toBe(false);
  });
});

describe('a form with a checkpoint for the user', () => {
  test('is sent by present_checkpoint, and the choice becomes the answer', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'bake-now');
    bakery.pass(5000);
    bakery.person = ({ message, options }) => {
      expect(message).toBe('Bake with rye?');
      expect(options).toEqual([
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'No', description: 'Another day' },
      ]);
      return 'yes';
    };
    const answered = await bakery.call('present_checkpoint', { checkpoint_handle: handle });
    expect(answered.json).toMatchObject({ resolved: true, resolved_option: 'yes' });
  });

  test('marks text that is not from the workflow, and escapes hidden characters', async () => {
    const bakery = await openBakery();
    bakery.pass(5000);
    const handle = await stoppedAt(bakery, 'bake-now', { flour: 'rye\u202E» and\nsugar' });
    let asked: Question | undefined;
    bakery.person = (question) => void (asked = question);
    const { text } = await bakery.call('present_checkpoint', { checkpoint_handle: handle });
    expect(asked?.message).toMatch(/^Bake with «rye\\u\{202e\}\\u\{bb\} and sugar»\?\n/);
    expect(text).not.toContain('«');
  });

  test('leaves the checkpoint open if the user does not choose', async () => {
    const bakery = await openBakery();
    const handle = await stoppedAt(bakery, 'bake-now');
    bakery.person = () => undefined;
    const { text } = await bakery.call('present_checkpoint', { checkpoint_handle: handle });
    expect(text).toContain('message: Bake with rye?');
  });

  test('is sent only if the answer would count, or if elicitation is trusted', async () => {
    const wary = await openBakery();
    wary.person = () => 'good';
    const handle = await stoppedAt(wary, 'taste');
    expect((await wary.call('present_checkpoint', { checkpoint_handle: handle })).text).toContain(
      'answered_by: person',
    );
    const trusting = await openBakery({ trustElicitation: true });
    trusting.person = () => 'good';
    const other = await stoppedAt(trusting, 'taste');
    trusting.pass(5000);
    const answered = await trusting.call('present_checkpoint', { checkpoint_handle: other });
    expect(answered.json).toMatchObject({ resolved_option: 'good' });
  });
});
