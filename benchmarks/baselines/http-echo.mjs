// The baseline for HTTP: an echo server with the HTTP handlers of the SDK. Each client has a session at `/legacy`, and
// none at `/modern`. It is bundled before it runs.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createEchoServer } from './echo-server.mjs';

const sessions = new Map();
const modern = toNodeHandler(createMcpHandler(createEchoServer, { legacy: 'reject' }));

/** Returns the session of a request, or a new one if the request has no session id. */
async function sessionOf({ headers }) {
  const known = sessions.get(headers['mcp-session-id']);
  if (known !== undefined) return known;
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    // Like our server, answer with a JSON body. It costs less than a stream.
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
