// Checks what each public package would publish: exports that exist, formats that fit, files that are included.
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { publicPackages, root } from '../support/workspace.mjs';

for (const { folder, manifest } of publicPackages()) {
  const { messages } = await publint({ pkgDir: join(root, folder), pack: 'pnpm', strict: true });
  for (const message of messages) console.log(`${manifest.name}: ${formatMessage(message, manifest)}`);
  if (messages.length > 0) process.exitCode = 1;
}
