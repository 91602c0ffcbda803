export { bundledDirectory, createHost } from './create-host.ts';
export type { Host } from './create-host.ts';
export { sourcesOf } from './sources.ts';
export type { Source, SourceOptions } from './sources.ts';
