import type { Client, McpServer } from './clients.ts';
import type { ConfigText } from './config-text.ts';
import { withJsonEntry } from './json-entry.ts';
import { withTomlEntry } from './toml-entry.ts';

const byteOrderMark = '\uFEFF';

/** The file of a client, telling it of a server; every other byte stays. @throws WorkflowError VALIDATION where it is broken */
export function editConfig({ file, text }: ConfigText, client: Client, server: McpServer): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  const edit = client.format === 'json' ? withJsonEntry : withTomlEntry;
  return mark + edit({ file, text: text.slice(mark.length) }, client, server);
}
