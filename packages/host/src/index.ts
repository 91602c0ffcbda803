export { bundledDirectory, createHost } from './create-host.ts';
export type { Host, HostOptions } from './create-host.ts';
export type { SessionOptions } from './session-options.ts';
export { sourcesOf } from './sources.ts';
export type { Source, SourceOptions } from './sources.ts';
export type { KeyRingOptions } from './key-ring/key-ring-options.ts';
export { loadKeyRing } from './key-ring/load-key-ring.ts';
export { rotateKey } from './key-ring/rotate-key.ts';
