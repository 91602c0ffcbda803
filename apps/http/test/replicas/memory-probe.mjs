// Loaded into a server under test by `node --expose-gc --import`: to any message it answers with what is in memory
// once everything that can be let go is gone.
process.on('message', () => {
  globalThis.gc();
  process.send(process.memoryUsage());
});
// A server that has nothing else to do may end.
process.channel.unref();
