/** What a call of a session does, whatever it is called on the wire. */
export type CallKind =
  | 'start'
  | 'status'
  | 'read-workflow'
  | 'move'
  | 'read-activity'
  | 'yield'
  | 'resume'
  | 'present'
  | 'answer'
  | 'read-skills'
  | 'read-skill'
  | 'read-resource'
  | 'resolve-operations'
  | 'read-trace';
