// The baseline for HTTP without the SDK: a node:http server that returns the parameters of each JSON-RPC message.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece) => (text += piece));
  request.on('end', () => {
    const { id, params } = JSON.parse(text);
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: params });
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
