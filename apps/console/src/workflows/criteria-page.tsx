import { useMutation } from '@tanstack/react-query';
import { Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { callApi, errorMessage } from '../api/client.ts';
import { JsonInput } from '../components/inputs.tsx';
import { readObject } from '../components/read-json.ts';
import { BulletList } from '../components/lists.tsx';
import { Notice } from '../components/notice.tsx';
import type { JudgeRequest, Judged } from '../contract.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { Page } from '../shell/page.tsx';
import { PastOutputs } from './past-outputs.tsx';

const { criteria: messages } = workflowMessages;

const exampleCriteria = `- type: length\n  min: 40\n  message: ${messages.example}\n`;

/** Renders a form that checks an output, or real outputs of past sessions, against criteria. */
export function CriteriaPage(): ReactNode {
  const ids = useId();
  const [text, setText] = useState('');
  const [criteria, setCriteria] = useState(exampleCriteria);
  const [contextText, setContext] = useState('');
  const context = readObject(contextText);
  const judge = useMutation({ mutationFn: (body: JudgeRequest) => callApi('POST /judge', { body }) });
  const isReady = criteria.trim() !== '' && context.value !== undefined;
  return (
    <Page title={messages.title} lead={messages.lead}>
      <form
        className="two-columns"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) judge.mutate({ output: text, text: criteria, context: context.value });
        }}
      >
        <div className="card stack">
          <TextArea id={`${ids}-output`} label={messages.output} rows={10} value={text} onChange={setText} />
        </div>
        <div className="card stack">
          <TextArea
            id={`${ids}-criteria`}
            label={messages.criteria}
            rows={8}
            isMono
            value={criteria}
            onChange={setCriteria}
          />
          <JsonInput label={messages.variables} json={context} onChange={setContext} rows={3} />
          <div>
            <button className="button button-main" disabled={!isReady || judge.isPending}>
              <Scale size={16} aria-hidden />
              {messages.check}
            </button>
          </div>
        </div>
      </form>
      {judge.error !== null && (
        <Notice tone="refused" title={messages.invalid}>
          <p>{errorMessage(judge.error)}</p>
        </Notice>
      )}
      {judge.data !== undefined && <Verdict judged={judge.data} />}
      <PastOutputs criteria={criteria} context={context.value} onCriteria={setCriteria} onOutput={setText} />
    </Page>
  );
}

function TextArea({
  id,
  label,
  rows,
  value,
  isMono = false,
  onChange,
}: {
  readonly id: string;
  readonly label: string;
  readonly rows: number;
  readonly value: string;
  readonly isMono?: boolean;
  readonly onChange: (text: string) => void;
}): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className={isMono ? 'input mono' : 'input'}
        rows={rows}
        spellCheck={!isMono}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

function Verdict({ judged: { verdict, sentences } }: { readonly judged: Judged }): ReactNode {
  const { valid, issues, suggestions } = verdict;
  return (
    <>
      <Notice tone={valid ? 'done' : 'waits'} title={valid ? messages.met : messages.missed}>
        <BulletList label={messages.issues} lines={issues} />
        <BulletList label={messages.suggestions} lines={suggestions} />
      </Notice>
      <h2>{messages.sentences}</h2>
      <BulletList label={messages.sentences} lines={sentences} />
    </>
  );
}
