import { Save } from 'lucide-react';
import type { ReactNode } from 'react';
import { Tag } from '../parts/tone.tsx';

/** Whether a text would be served, and the way to save it. */
export function DeskActions({
  isReadOnly,
  isChanged,
  isUsable,
  onSave,
}: {
  readonly isReadOnly: boolean;
  readonly isChanged: boolean;
  /** Absent while that is being asked. */
  readonly isUsable: boolean | undefined;
  readonly onSave: () => void;
}): ReactNode {
  return (
    <div className="actions" role="status">
      {isReadOnly && <Tag tone="skipped">read only</Tag>}
      {isUsable === true && <Tag tone="done">would be served</Tag>}
      {isUsable === false && <Tag tone="refused">would not be served</Tag>}
      {!isReadOnly && (
        <button
          type="button"
          className="button button-main"
          disabled={!isChanged || isUsable !== true}
          onClick={onSave}
        >
          <Save size={16} aria-hidden />
          Review and save
        </button>
      )}
    </div>
  );
}
