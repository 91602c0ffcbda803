import { expect, it } from 'vitest';
import { otherConnection } from '../../support/other-connection.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { apiKey } from '../../support/sessions.ts';

const corrupt = { code: 'STORE_DAMAGED', data: { reason: 'corrupt' } };

it.each(["principal = 'eve'", 'scopes = \'["write"]\'', "expires_at = '2999-01-01'", "hash = 'other'"])(
  'An API key that was changed in the file to %s is not given out',
  async (change) => {
    const { file, open } = await sessionFolder();
    const { access } = open();
    await access.addApiKey(apiKey);
    otherConnection(file).exec(`UPDATE api_keys SET ${change}`);
    await expect(access.findApiKey('key')).rejects.toMatchObject(corrupt);
    await expect(access.apiKeys()).rejects.toMatchObject(corrupt);
  },
);
