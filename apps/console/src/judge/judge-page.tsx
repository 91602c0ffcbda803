import { useMutation } from '@tanstack/react-query';
import { Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { ask } from '../api/ask.ts';
import { reasonOf } from '../api/refusal.ts';
import type { JudgeRequest, Judged } from '../contract.ts';
import { JsonInput } from '../parts/json-input.tsx';
import { Lines } from '../parts/lines.tsx';
import { Notice } from '../parts/notice.tsx';
import { readJson, readObject } from '../parts/read-json.ts';
import { Page } from '../shell/page.tsx';

const exampleCriteria = JSON.stringify(
  [{ type: 'length', min: 40, message: 'Say more than a sentence.' }],
  null,
  2,
);

/** A place to try criteria on an output before they stand in a workflow. */
export function JudgePage(): ReactNode {
  const output = useId();
  const [text, setText] = useState('');
  const [criteriaText, setCriteria] = useState(exampleCriteria);
  const [contextText, setContext] = useState('');
  const criteria = readJson(criteriaText, []);
  const context = readObject(contextText);
  const judge = useMutation({ mutationFn: (body: JudgeRequest) => ask('POST /judge', { body }) });
  const isReady = criteria.value !== undefined && context.value !== undefined;
  return (
    <Page title="Try criteria" lead="What a step’s validationCriteria say about an output.">
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
            <label htmlFor={output}>Output</label>
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
          <JsonInput label="Criteria, as JSON" json={criteria} onChange={setCriteria} rows={8} />
          <JsonInput
            label="Variables their conditions see, as JSON"
            json={context}
            onChange={setContext}
            rows={3}
          />
          <div>
            <button className="button button-main" disabled={!isReady || judge.isPending}>
              <Scale size={16} aria-hidden />
              Judge
            </button>
          </div>
        </div>
      </form>
      {judge.error !== null && (
        <Notice tone="refused" title="These criteria can’t be used.">
          <p>{reasonOf(judge.error)}</p>
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
      <Notice
        tone={valid ? 'done' : 'waits'}
        title={valid ? 'The output meets them.' : 'The output misses them.'}
      >
        <Lines label="Issues" lines={issues} />
        <Lines label="Suggestions" lines={suggestions} />
      </Notice>
      <h2>The criteria in words</h2>
      <Lines label="The criteria in words" lines={sentences} />
    </>
  );
}
