export { createFilesStore } from './files/files-store.ts';
export type { FilesStore, FilesStoreOptions } from './files/files-store.ts';
export type { WatchFolder } from './files/folder-watchers.ts';
export type { BorrowFolder } from './files/lender.ts';
