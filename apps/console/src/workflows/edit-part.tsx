import { Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { createContext, use } from 'react';
import { workflowMessages } from '../messages/workflows.ts';
import type { PartPlace, PartPlaces } from './part-places.ts';

const { outline: messages } = workflowMessages;

/** How the parts of a workflow can be edited where they are shown. */
interface PartEditing {
  readonly places: PartPlaces;
  /** Renders a link or a button that opens the text of a part. */
  readonly render: (props: EditTargetProps) => ReactNode;
}

/** The properties of such a link or button. */
export interface EditTargetProps {
  readonly place: PartPlace;
  readonly className: string;
  readonly children: ReactNode;
  readonly title?: string;
  readonly tabIndex?: number;
  readonly 'aria-label'?: string;
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

/** The same in a node of the graph, for a pointer. With the keyboard, the list of steps has it. */
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
