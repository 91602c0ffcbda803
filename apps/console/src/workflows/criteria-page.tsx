import { useMutation, useQuery } from '@tanstack/react-query';
import { Scale, ListChecks } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { callApi } from '../api/client.ts';
import { Button, FilterSelect, Form, TextField } from '../components/controls.tsx';
import { JsonInput, readObject } from '../components/json.tsx';
import { BulletList } from '../components/lists.tsx';
import { Notice, EmptyState, ErrorNotice } from '../components/notice.tsx';
import type { JudgeRequest, Judged, PastOutput } from '../contract/index.ts';
import { workflowMessages } from '../messages/workflows.ts';
import { Page } from '../shell/page.tsx';
import { catalogueQuery, pastOutputsQuery } from '../api/queries.ts';
import { truncate } from '../components/format.ts';
import { Tag, SessionLink } from '../components/tags.tsx';

const { criteria: messages } = workflowMessages;

const exampleCriteria = `- type: length\n  min: 40\n  message: ${messages.example}\n`;

/** Renders a form that checks an output, or real outputs of past sessions, against criteria. */
export function CriteriaPage(): ReactNode {
  const [text, setText] = useState('');
  const [criteria, setCriteria] = useState(exampleCriteria);
  const [contextText, setContext] = useState('');
  const context = readObject(contextText);
  const judge = useMutation({ mutationFn: (body: JudgeRequest) => callApi('POST /judge', { body }) });
  const isJudged = judge.variables?.output === text && judge.variables.text === criteria;
  const isReady = criteria.trim() !== '' && context.value !== undefined;
  return (
    <Page title={messages.title} lead={messages.lead}>
      <Form
        className="two-columns"
        onSubmit={() => {
          if (isReady) judge.mutate({ output: text, text: criteria, context: context.value });
        }}
      >
        <div className="card stack">
          <TextField label={messages.output} rows={10} value={text} onChange={setText} />
        </div>
        <div className="card stack">
          <TextField label={messages.criteria} rows={8} isMono value={criteria} onChange={setCriteria} />
          <JsonInput label={messages.variables} json={context} onChange={setContext} rows={3} />
          <div>
            <Button type="submit" look="main" icon={Scale} disabled={!isReady || judge.isPending}>
              {messages.check}
            </Button>
          </div>
        </div>
      </Form>
      <ErrorNotice title={messages.invalid} error={judge.error} />
      {judge.data !== undefined && isJudged && <JudgedOutput judged={judge.data} />}
      <PastOutputs criteria={criteria} context={context.value} onCriteria={setCriteria} onOutput={setText} />
    </Page>
  );
}

function JudgedOutput({ judged: { verdict, sentences } }: { readonly judged: Judged }): ReactNode {
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

const { past: pastTexts } = messages;

/** The most outputs that one click checks. */
const maxChecked = 20;

interface PastOutputsProps {
  readonly criteria: string;
  readonly context: JudgeRequest['context'] | undefined;
  /** Puts the criteria of a step into the form. */
  readonly onCriteria: (text: string) => void;
  /** Puts an output into the form. */
  readonly onOutput: (text: string) => void;
}

/** Checks the criteria in the form against outputs that agents submitted for a step. */
function PastOutputs(props: PastOutputsProps): ReactNode {
  const [workflow, setWorkflow] = useState<string>();
  const [step, setStep] = useState<string>();
  const catalogue = useQuery(catalogueQuery);
  const past = useQuery({ ...pastOutputsQuery(workflow ?? ''), enabled: workflow !== undefined });
  const outputs = past.data?.outputs ?? [];
  const steps = [...new Set([...outputs.map((one) => one.step), ...Object.keys(past.data?.steps ?? {})])];
  const chosen = step !== undefined && steps.includes(step) ? step : undefined;
  const asked = chosen === undefined ? undefined : past.data?.steps[chosen];
  return (
    <section className="card stack">
      <h2>{pastTexts.title}</h2>
      <p className="muted">{pastTexts.lead}</p>
      <div className="filters filters-two">
        <FilterSelect
          label={pastTexts.workflow}
          none={pastTexts.choose}
          options={catalogue.data?.workflows.map(({ id, name }) => [id, name] as const) ?? []}
          value={workflow}
          onChange={setWorkflow}
        />
        <FilterSelect
          label={pastTexts.step}
          none={pastTexts.choose}
          options={steps.map((one) => [one, one] as const)}
          value={chosen}
          onChange={setStep}
        />
      </div>
      <ErrorNotice title={pastTexts.failed} error={past.error} />
      {asked !== undefined && (
        <div>
          <Button size="small" onClick={() => props.onCriteria(`${JSON.stringify(asked, null, 2)}\n`)}>
            {pastTexts.load}
          </Button>
        </div>
      )}
      {chosen !== undefined && (
        <Trials
          key={`${workflow} ${chosen}`}
          {...props}
          outputs={outputs.filter((one) => one.step === chosen)}
        />
      )}
    </section>
  );
}

type Verdict = Judged['verdict'];

function Trials({
  outputs,
  criteria,
  context = {},
  onOutput,
}: PastOutputsProps & { readonly outputs: readonly PastOutput[] }): ReactNode {
  const shown = outputs.slice(0, maxChecked);
  const asked = JSON.stringify([criteria, context]);
  const check = useMutation({
    mutationFn: async (_asked: string) => {
      const verdicts: Verdict[] = [];
      // Run them one after the other, because the server limits the work that it does for one person at a time.
      for (const { output } of shown) {
        const judged = await callApi('POST /judge', { body: { output, text: criteria, context } });
        verdicts.push(judged.verdict);
      }
      return verdicts;
    },
  });
  if (shown.length === 0) return <EmptyState title={pastTexts.empty} />;
  // Results for other criteria or variables don't apply to these.
  const isCurrent = check.variables === asked;
  const verdicts = isCurrent ? (check.data ?? []) : [];
  const met = verdicts.filter(({ valid }) => valid).length;
  return (
    <>
      <div className="row">
        <Button look="main" icon={ListChecks} disabled={check.isPending} onClick={() => check.mutate(asked)}>
          {pastTexts.check(shown.length)}
        </Button>
        {verdicts.length > 0 && <strong role="status">{pastTexts.met(met, verdicts.length)}</strong>}
      </div>
      <ErrorNotice title={messages.invalid} error={isCurrent ? check.error : null} />
      <ul className="stack" aria-label={pastTexts.title}>
        {shown.map((one, at) => (
          // Two outputs of a session may be the same text.
          <li key={`${one.sid} ${at}`} className="stack-tight past-output">
            <div className="row">
              <VerdictTag verdict={verdicts[at]} />
              {one.isRefused === true && <Tag tone="refused">{pastTexts.refused}</Tag>}
              <SessionLink sid={one.sid}>{one.title}</SessionLink>
              <Button look="quiet" size="small" onClick={() => onOutput(one.output)}>
                {pastTexts.use}
              </Button>
            </div>
            <p className="small muted">{truncate(one.output, 300)}</p>
            <BulletList lines={verdicts[at]?.issues ?? []} className="small" />
          </li>
        ))}
      </ul>
    </>
  );
}

function VerdictTag({ verdict }: { readonly verdict: Verdict | undefined }): ReactNode {
  if (verdict === undefined) return <Tag tone="planned">{pastTexts.notChecked}</Tag>;
  return verdict.valid ? (
    <Tag tone="done">{pastTexts.meets}</Tag>
  ) : (
    <Tag tone="refused">{pastTexts.misses}</Tag>
  );
}
