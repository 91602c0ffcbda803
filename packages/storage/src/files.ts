export { createFilesStore } from './files/files-store.ts';
export { digestOfTexts } from './files/admission.ts';
export type { Admission, DefinitionTexts } from './files/admission.ts';
export type { FileFault } from './files/file-problem.ts';
export type { FilesStore, FilesStoreOptions } from './files/files-store.ts';
export type { WatchFolder } from './files/watch-folders.ts';
export type { FindFolder } from './files/workflow-folders.ts';
