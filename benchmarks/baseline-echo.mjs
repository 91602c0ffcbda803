// The floor every server over the same SDK stands on: its echo server on standard input and output. Bundled before it is run.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createEchoServer } from './echo-server.mjs';

serveStdio(createEchoServer);
