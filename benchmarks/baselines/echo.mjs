// The baseline for stdio: an echo server with the same SDK. It is bundled before it runs.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createEchoServer } from './echo-server.mjs';

serveStdio(createEchoServer);
