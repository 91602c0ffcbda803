import { createHash } from 'node:crypto';
import type { Key, KeyRing } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';

/**
 * The ring of keys that are spelled as 64 hexadecimal digits each, the signing one first.
 *
 * @param spelled at least one
 * @param nameOf names the key at an index, from 0, in a message
 * @throws STORAGE when one is spelled otherwise; the message shows nothing of it
 */
export function parseKeys(spelled: readonly string[], nameOf: (index: number) => string): KeyRing {
  const [signing, ...older] = spelled.map((text, index) => parseKey(text.trim(), nameOf(index)));
  if (signing === undefined) throw new WorkflowError('INTERNAL', 'A key ring needs a key.');
  return { signing, verifying: [signing, ...older] };
}

function parseKey(digits: string, name: string): Key {
  if (/^[0-9a-f]{64}$/i.test(digits)) return keyOf(Buffer.from(digits, 'hex'));
  const found = digits.length === 64 ? 'another character among them' : `${digits.length} characters`;
  const remedy =
    'Put the key back as it was, or take it away: tokens it signed are then adopted, not opened.';
  throw new WorkflowError('STORAGE', `${name} should be 64 hexadecimal digits and has ${found}. ${remedy}`);
}

function keyOf(secret: Uint8Array): Key {
  return { id: createHash('sha256').update(secret).digest('hex').slice(0, 8), secret };
}
