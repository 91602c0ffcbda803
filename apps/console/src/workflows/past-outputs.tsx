import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { callApi, errorMessage } from '../api/client.ts';
import { catalogueQuery, pastOutputsQuery } from '../api/queries.ts';
import { truncate } from '../components/format.ts';
import { FilterSelect } from '../components/inputs.tsx';
import { BulletList } from '../components/lists.tsx';
import { EmptyState, Notice } from '../components/notice.tsx';
import { Tag } from '../components/tags.tsx';
import type { Judged, JudgeRequest, PastOutput } from '../contract.ts';
import { workflowMessages } from '../messages/workflows.ts';

const { past: messages } = workflowMessages.criteria;

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
export function PastOutputs(props: PastOutputsProps): ReactNode {
  const [workflow, setWorkflow] = useState<string>();
  const [step, setStep] = useState<string>();
  const catalogue = useQuery(catalogueQuery);
  const past = useQuery({ ...pastOutputsQuery(workflow ?? ''), enabled: workflow !== undefined });
  const outputs = workflow === undefined ? [] : (past.data?.outputs ?? []);
  const steps = [...new Set([...outputs.map((one) => one.step), ...Object.keys(past.data?.steps ?? {})])];
  const chosen = step !== undefined && steps.includes(step) ? step : undefined;
  const asked = chosen === undefined ? undefined : past.data?.steps[chosen];
  return (
    <section className="card stack">
      <h2>{messages.title}</h2>
      <p className="muted">{messages.lead}</p>
      <div className="filters filters-two">
        <FilterSelect
          label={messages.workflow}
          none={messages.choose}
          options={catalogue.data?.workflows.map(({ id, name }) => [id, name] as const) ?? []}
          value={workflow}
          onChange={setWorkflow}
        />
        <FilterSelect
          label={messages.step}
          none={messages.choose}
          options={workflow === undefined ? [] : steps.map((one) => [one, one] as const)}
          value={chosen}
          onChange={setStep}
        />
      </div>
      {past.error !== null && (
        <Notice tone="refused" title={messages.failed}>
          <p>{errorMessage(past.error)}</p>
        </Notice>
      )}
      {asked !== undefined && (
        <div>
          <button
            type="button"
            className="button button-small"
            onClick={() => props.onCriteria(`${JSON.stringify(asked, null, 2)}\n`)}
          >
            {messages.load}
          </button>
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

type Trial = Judged['verdict'] | { readonly failed: string };

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
      const trials: Trial[] = [];
      // One after the other: they share the work that the server does for one person.
      for (const { output } of shown) {
        const judged = callApi('POST /judge', { body: { output, text: criteria, context } });
        trials.push(
          await judged
            .then(({ verdict }): Trial => verdict)
            .catch((error: unknown) => ({ failed: errorMessage(error) })),
        );
      }
      return trials;
    },
  });
  if (shown.length === 0) return <EmptyState title={messages.empty} />;
  // What other criteria or variables led to says nothing about these.
  const trials = check.variables === asked ? (check.data ?? []) : [];
  const failed = trials.find((trial) => 'failed' in trial);
  const met = trials.filter((trial) => 'valid' in trial && trial.valid).length;
  return (
    <>
      <div className="row">
        <button
          type="button"
          className="button button-main"
          disabled={check.isPending}
          onClick={() => check.mutate(asked)}
        >
          <ListChecks size={16} aria-hidden />
          {messages.check(shown.length)}
        </button>
        {trials.length > 0 && failed === undefined && (
          <strong role="status">{messages.met(met, trials.length)}</strong>
        )}
      </div>
      {failed !== undefined && 'failed' in failed && (
        <Notice tone="refused" title={workflowMessages.criteria.invalid}>
          <p>{failed.failed}</p>
        </Notice>
      )}
      <ul className="stack" aria-label={messages.title}>
        {shown.map((one, at) => (
          // Two outputs of a session may be the same text.
          <li key={`${one.sid} ${at}`} className="stack-tight past-output">
            <div className="row">
              <TrialTag trial={trials[at]} />
              {one.isRefused === true && <Tag tone="refused">{messages.refused}</Tag>}
              <Link to="/sessions/$sid" params={{ sid: one.sid }}>
                {one.title}
              </Link>
              <button
                type="button"
                className="button button-quiet button-small"
                onClick={() => onOutput(one.output)}
              >
                {messages.use}
              </button>
            </div>
            <p className="small muted">{truncate(one.output, 300)}</p>
            <BulletList lines={issuesOf(trials[at])} className="small" />
          </li>
        ))}
      </ul>
    </>
  );
}

function TrialTag({ trial }: { readonly trial: Trial | undefined }): ReactNode {
  if (trial === undefined || 'failed' in trial) return <Tag tone="planned">{messages.notChecked}</Tag>;
  return trial.valid ? <Tag tone="done">{messages.meets}</Tag> : <Tag tone="refused">{messages.misses}</Tag>;
}

function issuesOf(trial: Trial | undefined): readonly string[] {
  return trial === undefined || 'failed' in trial ? [] : trial.issues;
}
