import type { Context } from '@workflowlookup/conditions';
import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { fillVariables } from './fill-variables.ts';

/** Something an activity leaves behind, and where. */
export interface ArtifactPath {
  readonly id: string;
  /** Location, then the number of the activity's file before the name, with the variables in them. */
  readonly path: string;
}

/** The artifacts of an activity of this workflow; a location nobody declared is left out of the path. */
export function artifactPaths(
  { definition: { artifactLocations = {} } }: ActivityWorkflow,
  { definition: { artifacts = [] }, index }: ActivityPart,
  variables: Context,
): readonly ArtifactPath[] {
  const folderOf = (location: string | undefined): string => {
    if (location === undefined || !Object.hasOwn(artifactLocations, location)) return '';
    const declared = artifactLocations[location] ?? '';
    return `${typeof declared === 'string' ? declared : declared.path}/`;
  };
  return artifacts.map(({ id, name, location }) => ({
    id,
    path: fillVariables(`${folderOf(location)}${index}-${name}`, variables),
  }));
}
