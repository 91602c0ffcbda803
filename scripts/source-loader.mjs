// Lets Node run the TypeScript sources as they are, one module a file, and writes V8's coverage each time the process gets SIGUSR2.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { takeCoverage } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.NODE_V8_COVERAGE !== undefined) {
  register(import.meta.url);
  process.on('SIGUSR2', takeCoverage);
}

/** A loader hook of Node: gives a TypeScript module as JavaScript. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { transform } = await import('esbuild');
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const { code } = await transform(text, { loader: 'ts', format: 'esm', target: 'esnext' });
  return { format: 'module', source: code, shortCircuit: true };
}
