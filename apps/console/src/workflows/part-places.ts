import type { WorkflowDetail } from '../contract/index.ts';
import { partOf } from '../graph/graph-targets.ts';

/** Where the text of a part of a workflow is. */
export interface PartPlace {
  /** The path of the file in its source. */
  readonly file: string;
  /** JSON pointer of the part in the file. */
  readonly pointer: string;
}

/** The places of the parts of a workflow, by their names as in `partOf`. */
export type PartPlaces = ReadonlyMap<string, PartPlace>;

/** Returns where the text of each activity, step and checkpoint is. `file` is any file of the workflow, in its source. */
export function placesOf(
  { outline, activityFiles }: Pick<WorkflowDetail, 'outline' | 'activityFiles'>,
  file: string,
): PartPlaces {
  const places = new Map<string, PartPlace>();
  const add = (part: string, place: PartPlace): void => {
    if (!places.has(part)) places.set(part, place);
  };
  addSteps(outline.steps ?? [], { file, pointer: '/steps' }, add);
  const folder = file.replace(/(?:(?:activities|skills|resources)\/)?[^/]+$/, '');
  const files = new Map(activityFiles.map((one) => [one.id, one]));
  for (const { id, steps, loops, checkpoints } of outline.activities ?? []) {
    const own = files.get(id);
    if (own === undefined) continue;
    const at = (pointer: string): PartPlace => ({
      file: folder + own.file,
      pointer: own.pointer + pointer,
    });
    add(id, at(''));
    for (const [nth, step] of steps.entries()) add(partOf({ id, step: step.id }), at(`/steps/${nth}`));
    for (const [loop, { steps: repeated }] of loops.entries())
      for (const [nth, step] of repeated.entries())
        add(partOf({ id, step: step.id }), at(`/loops/${loop}/steps/${nth}`));
    for (const [nth, checkpoint] of checkpoints.entries())
      add(partOf({ id, checkpoint: checkpoint.id }), at(`/checkpoints/${nth}`));
  }
  return places;
}

function addSteps(
  steps: NonNullable<WorkflowDetail['outline']['steps']>,
  { file, pointer }: PartPlace,
  add: (part: string, place: PartPlace) => void,
): void {
  for (const [nth, { id, body }] of steps.entries()) {
    const place = { file, pointer: `${pointer}/${nth}` };
    add(id, place);
    if (typeof body === 'object') addSteps(body, { file, pointer: `${place.pointer}/body` }, add);
  }
}
