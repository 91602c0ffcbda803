import { plural } from '../components/format.ts';

/** The texts that several pages share: errors of requests, states of loading, values and dates. */
export const commonMessages = {
  request: {
    unreachable: 'The console can’t reach the server. Check that it is running, then try again.',
    busy: 'The server is busy or shutting down. Try again in a few seconds.',
    failed: (status: number) =>
      `The server answered with HTTP status ${status} and no explanation. Its log has the reason.`,
  },
  loading: {
    active: 'Loading',
    failed: 'This could not be loaded',
    retry: 'Try again',
  },
  json: {
    invalid: (reason: string) => `This is not valid JSON: ${reason}`,
    notAnObject: 'This is not a JSON object. Write one like { "name": "value" }.',
  },
  time: {
    justNow: 'just now',
    ago: (duration: string) => `${duration} ago`,
  },
  output: {
    label: (step: string) => `Output of ${step}`,
    meetsCriteria: 'meets the criteria',
    missesCriteria: 'does not meet the criteria',
    cutOff: (characters: number) =>
      `Only the beginning is shown. The output has ${plural(characters, 'character')}.`,
  },
  variables: {
    changes: 'Variable changes',
    columns: { variable: 'Variable', from: 'From', to: 'To', when: 'When' },
    notSet: 'not set',
  },
  none: '—',
  state: {
    done: 'done',
    current: 'current',
    refused: 'refused',
    skipped: 'skipped',
    planned: 'planned',
  },
  conditions: {
    when: (condition: string) => `when ${condition}`,
    onlyPerson: 'needs a person',
  },
  issues: {
    warning: 'warning: ',
  },
} as const;
