export { createFilesStore } from './files/files-store.ts';
export { digestOfTexts } from './files/read-definition-file.ts';
export type { Admission, DefinitionTexts } from './files/read-definition-file.ts';
export type { FileFault } from './files/paths.ts';
export type { FilesStore, FilesStoreOptions } from './files/files-store.ts';
export type { WatchFolder } from './files/watch-folders.ts';
export type { FindFolder } from './files/workflow-folders.ts';
