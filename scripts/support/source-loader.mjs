// Lets Node run the TypeScript sources without a bundle, and writes the V8 coverage whenever the process gets SIGUSR2.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { takeCoverage } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.NODE_V8_COVERAGE !== undefined) {
  register(import.meta.url);
  process.on('SIGUSR2', takeCoverage);
}

/** A loader hook of Node that compiles a TypeScript module to JavaScript. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { transform } = await import('esbuild');
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const { code } = await transform(text, { loader: 'ts', format: 'esm', target: 'esnext' });
  return { format: 'module', source: code, shortCircuit: true };
}
