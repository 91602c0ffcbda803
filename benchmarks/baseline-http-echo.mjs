// The SDK's echo server over its own HTTP handlers: `/legacy` with a session each, `/modern` without any. Bundled before it is run.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createEchoServer } from './echo-server.mjs';

const sessions = new Map();
const modern = toNodeHandler(createMcpHandler(createEchoServer, { legacy: 'reject' }));

/** The session of a request; one without is given a new one. */
async function sessionOf({ headers }) {
  const known = sessions.get(headers['mcp-session-id']);
  if (known !== undefined) return known;
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    // A body in place of a stream, as ours answers: the cheaper of the two.
    enableJsonResponse: true,
  });
  await createEchoServer().connect(transport);
  return transport;
}

async function serve(request, response) {
  if (request.url === '/modern') await modern(request, response);
  else await (await sessionOf(request)).handleRequest(request, response);
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
