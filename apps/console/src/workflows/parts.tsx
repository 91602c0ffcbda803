import { MessageCircleQuestionMark, Pencil } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { createContext, use } from 'react';
import { Button } from '../components/controls.tsx';
import type { WorkflowDetail } from '../contract/index.ts';
import type { AskingPart } from '../editor/add-question.ts';
import { partOf } from '../graph/graph-targets.ts';
import { editorMessages, workflowMessages } from '../messages/workflows.ts';

const { outline: messages } = workflowMessages;

/** Where the text of a part of a workflow is. */
export interface PartPlace {
  /** The path of the file in its source. */
  readonly file: string;
  /** JSON pointer of the part in the file. */
  readonly pointer: string;
}

/** The places of the parts of a workflow, by their names as in `partOf`. */
type PartPlaces = ReadonlyMap<string, PartPlace>;

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

/** How the parts of a workflow can be edited where they are shown. */
export interface PartEditing {
  readonly places: PartPlaces;
  /** Renders a link or a button that opens the text of a part. */
  readonly render: (props: EditTargetProps) => ReactNode;
  /** Adds a question for a person to the text. Absent where no text is open. */
  readonly onAsk?: (part: AskingPart, where: 'before' | 'after') => void;
  /** The path of the text that is open. */
  readonly file?: string;
}

/** The properties of such a link or button. */
export interface EditTargetProps extends Pick<
  ComponentProps<'button'>,
  'aria-label' | 'children' | 'className' | 'tabIndex' | 'title'
> {
  readonly place: PartPlace;
}

/** Set where the parts of a workflow can be edited. */
export const PartEditingContext = createContext<PartEditing | undefined>(undefined);

/** Returns how to render what opens the text of a part, or `undefined` where it can't be edited. */
function useEditing(part: string): ((props: Omit<EditTargetProps, 'place'>) => ReactNode) | undefined {
  const editing = use(PartEditingContext);
  const place = editing?.places.get(part);
  if (editing === undefined || place === undefined) return undefined;
  return (props) => editing.render({ place, ...props });
}

/** Opens the text of a part of a workflow. Renders nothing where it can't be edited. */
export function EditPart({ part, name }: { readonly part: string; readonly name: string }): ReactNode {
  const render = useEditing(part);
  return render?.({
    className: 'button button-quiet button-small edit-part',
    'aria-label': messages.editPart(name),
    children: (
      <>
        <Pencil size={13} aria-hidden />
        {messages.edit}
      </>
    ),
  });
}

/** Adds a question for a person before a step, or after an activity. Renders nothing unless the text of the part is open. */
export function AddQuestion({
  part,
  name,
  where,
}: {
  readonly part: string;
  readonly name: string;
  readonly where: 'before' | 'after';
}): ReactNode {
  const { places, onAsk, file } = use(PartEditingContext) ?? {};
  const place = places?.get(part);
  if (onAsk === undefined || place === undefined || place.file !== file) return null;
  const label = editorMessages.question[where];
  return (
    <Button
      look="quiet"
      size="small"
      className="edit-part"
      aria-label={editorMessages.question.of(label, name)}
      onClick={() => onAsk({ id: part, name, pointer: place.pointer }, where)}
    >
      <MessageCircleQuestionMark size={13} aria-hidden />
      {label}
    </Button>
  );
}

/** Opens the text of a part from its node of the graph, for a pointer. With the keyboard, the list of steps does it. */
export function EditNode({ part, name }: { readonly part: string; readonly name: string }): ReactNode {
  const render = useEditing(part);
  if (render === undefined) return null;
  return (
    // A click on the rest of the node shows its part.
    <span className="node-edit nodrag nopan" onClick={(event) => event.stopPropagation()} aria-hidden>
      {render({
        className: 'node-edit-target',
        title: messages.editPart(name),
        tabIndex: -1,
        children: <Pencil size={13} />,
      })}
    </span>
  );
}
