/** How a directory is looked through. */
export interface ScanOptions {
  /** Whether the folders of activity workflows are taken in, or left out with a warning. */
  readonly activities: boolean;
  /** What of the directory itself is looked at, by name; by default all. */
  readonly only?: readonly string[] | undefined;
  /** How many folders deep; by default 3. */
  readonly depth?: number | undefined;
  /** Folder that the directory must lie in after symbolic links are resolved; by default anywhere. */
  readonly within?: string | undefined;
}

/** Whether something of this name in a folder of the source is looked at. */
export function isWanted({ only }: ScanOptions, folder: string, name: string): boolean {
  return folder !== '.' || only === undefined || only.includes(name);
}
