import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import type { CatalogueSource } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { FilterSelect } from '../parts/filter-select.tsx';
import type { Draft } from './draft.ts';
import { EditorDesk } from './editor-desk.tsx';
import { newDraft } from './new-draft.ts';

/** TOON is read in the folders of activity workflows alone. */
const fileName = /^[a-z0-9][a-z0-9.-]*\.(ya?ml|json)$/;

/** Asks where a new workflow is to be, then edits it. */
export function NewFile({ sources }: { readonly sources: readonly CatalogueSource[] }): ReactNode {
  const id = useId();
  const writable = sources.filter(({ isWritable }) => isWritable);
  const [source, setSource] = useState(writable[0]?.name);
  const [file, setFile] = useState('');
  const [draft, setDraft] = useState<Draft>();
  if (draft !== undefined) return <EditorDesk draft={draft} />;
  if (source === undefined)
    return (
      <Empty title="No source can be written to.">
        <p>Which ones can is said when the server is started.</p>
      </Empty>
    );
  const isNamed = fileName.test(file);
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        setDraft(newDraft(source, file));
      }}
    >
      <FilterSelect
        label="Source"
        none={writable[0]?.name ?? source}
        options={writable.slice(1).map(({ name }) => [name, name] as const)}
        value={source === writable[0]?.name ? '' : source}
        onChange={(chosen) => setSource(chosen ?? writable[0]?.name)}
      />
      <div className="field">
        <label htmlFor={id}>File</label>
        <input
          id={id}
          className="input mono"
          autoComplete="off"
          spellCheck={false}
          placeholder="my-workflow.yaml"
          aria-describedby={`${id}-rule`}
          value={file}
          onChange={({ target }) => setFile(target.value)}
        />
        <span id={`${id}-rule`} className="small muted">
          Lowercase letters, digits, dots and dashes, ending in .yaml or .json.
        </span>
      </div>
      <div>
        <button className="button button-main" disabled={!isNamed}>
          Begin
        </button>
      </div>
    </form>
  );
}
