import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { openBakery } from '../support/bakery.ts';

test('Entering and reading an activity again adds little to the text of its author', async () => {
  const { call } = await openBakery();
  const { token } = await call('start_session', { agent_id: 'baker', workflow_id: 'bakery' });
  const moved = await call('next_activity', { session_token: token });
  await call('get_activity', { session_token: moved.token });
  const { text } = await call('get_activity', { session_token: moved.token });
  expect(text).toMatch(/^bundle: unchanged sha256:[0-9a-f]{8} /);
  const added = text.replace(/^id: mix\n[^]*?(?=\nremaining\[)/m, '');
  // Session tokens are random: this one costs 28, and on average they cost 27.4.
  const all = `${moved.text}\n${added}`
    .replaceAll(moved.token, 'wl_C0gPSY-8TePprQAWAIWM24TJ0jL-RviTu1c1hNM')
    .replaceAll(/mix|Mix the dough|weigh,ask/g, '');
  expect(countTokens(all)).toBeLessThanOrEqual(100);
});
