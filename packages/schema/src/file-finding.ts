import type { ActivityPart } from './activity-workflow.ts';
import type { Finding } from './issue.ts';

/** A finding in one file of a workflow. */
export interface FileFinding extends Finding {
  /** Path in the folder; of a borrowed activity `lender/path`. */
  readonly file: string;
}

/** A place in the file of an activity. */
export function inActivity(
  { file, pointer }: ActivityPart,
  place: string,
): Pick<FileFinding, 'file' | 'pointer'> {
  return { file, pointer: pointer + place };
}
