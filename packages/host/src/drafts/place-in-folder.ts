/** Where a file stands in the folder of an activity workflow. */
export interface PlaceInFolder {
  /** Name of the folder. */
  readonly folder: string;
  /** What comes before the paths in it: the path of the folder and a `/`. */
  readonly prefix: string;
  /** Path in the folder. */
  readonly name: string;
}

const parts =
  /^(?<prefix>(?:.*\/)?(?<folder>[^/]+)\/)(?<name>workflow\.(?:json|ya?ml|toon)|(?:activities|skills|resources)\/[^/]+)$/;

/** Where a file of a source would stand in the folder of an activity workflow; `undefined` for a step workflow. */
export function placeInFolder(file: string): PlaceInFolder | undefined {
  const { prefix, folder, name } = parts.exec(file)?.groups ?? {};
  if (prefix === undefined || folder === undefined || name === undefined) return undefined;
  return { folder, prefix, name };
}
