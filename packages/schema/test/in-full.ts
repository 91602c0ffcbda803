import type { Issue } from '@workflowlookup/schema';

/** An issue in full: `severity code pointer: message. suggestion`; `error!` is one under which a part is served. */
export const inFull = ({ severity, served, code, pointer, message, suggestion = '' }: Issue): string =>
  `${severity}${served === true ? '!' : ''} ${code} ${pointer}: ${message}. ${suggestion}`.trimEnd();
