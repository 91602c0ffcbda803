import type { ReactNode } from 'react';
import type { WalkRequest, WorkflowDetail } from '../contract.ts';
import { FilterSelect } from '../parts/filter-select.tsx';

/** The option taken at a checkpoint, by `activity/checkpoint`. */
export type Answers = NonNullable<WalkRequest['answers']>;

/** Which option is taken at each checkpoint of a walk. */
export function WalkAnswers({
  outline: { activities = [] },
  answers,
  onChange,
}: {
  readonly outline: WorkflowDetail['outline'];
  readonly answers: Answers;
  readonly onChange: (answers: Answers) => void;
}): ReactNode {
  const asked = activities.flatMap(({ id, checkpoints }) =>
    checkpoints.map((checkpoint) => ({ key: `${id}/${checkpoint.id}`, ...checkpoint })),
  );
  return asked.map(({ key, name, options }) => (
    <FilterSelect
      key={key}
      label={name}
      none={`the first: ${options[0]?.label ?? ''}`}
      options={options.map(({ id, label }) => [id, label] as const)}
      value={answers[key]}
      onChange={(option) => {
        const others = Object.entries(answers).filter(([one]) => one !== key);
        onChange(Object.fromEntries(option === undefined ? others : [...others, [key, option]]));
      }}
    />
  ));
}
