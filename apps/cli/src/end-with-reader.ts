const watched = new WeakSet<NodeJS.WriteStream>();

/** Whoever reads the output may stop reading: that ends the process, and is no error. */
export function endWithReader(stream: NodeJS.WriteStream): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
