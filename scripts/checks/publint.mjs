// Checks the files that each public package would publish, with publint: for example, that the exports exist.
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { publicPackages, root } from '../support/workspace.mjs';

for (const { folder, manifest } of publicPackages()) {
  const { messages } = await publint({ pkgDir: join(root, folder), pack: 'pnpm', strict: true });
  for (const message of messages) console.log(`${manifest.name}: ${formatMessage(message, manifest)}`);
  if (messages.length > 0) process.exitCode = 1;
}
