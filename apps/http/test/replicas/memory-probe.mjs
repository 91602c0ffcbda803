// `node --expose-gc --import` loads this file into a server under test. It answers each message with the memory usage
// after a garbage collection.
process.on('message', () => {
  globalThis.gc();
  process.send(process.memoryUsage());
});
// Waiting for messages does not keep the server running.
process.channel.unref();
