export { createCachedStore } from './workflow-store.ts';
