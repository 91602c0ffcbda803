import { useMutation } from '@tanstack/react-query';
import { Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { callApi, errorMessage } from '../api/client.ts';
import { JsonInput } from '../components/inputs.tsx';
import { readJson, readObject } from '../components/read-json.ts';
import { BulletList } from '../components/lists.tsx';
import { Notice } from '../components/notice.tsx';
import type { JudgeRequest, Judged } from '../contract.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { Page } from '../shell/page.tsx';

const { criteria: messages } = workflowMessages;

const exampleCriteria = JSON.stringify([{ type: 'length', min: 40, message: messages.example }], null, 2);

/** Renders a form that checks an output against criteria, before they are used in a workflow. */
export function CriteriaPage(): ReactNode {
  const output = useId();
  const [text, setText] = useState('');
  const [criteriaText, setCriteria] = useState(exampleCriteria);
  const [contextText, setContext] = useState('');
  const criteria = readJson(criteriaText, []);
  const context = readObject(contextText);
  const judge = useMutation({ mutationFn: (body: JudgeRequest) => callApi('POST /judge', { body }) });
  const isReady = criteria.value !== undefined && context.value !== undefined;
  return (
    <Page title={messages.title} lead={messages.lead}>
      <form
        className="two-columns"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady) return;
          judge.mutate({ output: text, criteria: criteria.value, context: context.value });
        }}
      >
        <div className="card stack">
          <div className="field">
            <label htmlFor={output}>{messages.output}</label>
            <textarea
              id={output}
              className="input"
              rows={10}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </div>
        </div>
        <div className="card stack">
          <JsonInput label={messages.criteria} json={criteria} onChange={setCriteria} rows={8} />
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
    </Page>
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
