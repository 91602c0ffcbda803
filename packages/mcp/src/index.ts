export type { VersionPolicy } from './front-door/lifecycle.ts';
export { createLog, describeError } from './log.ts';
export type { Log } from './log.ts';
export { serveStdio } from './serve-stdio.ts';
export type { ServeStdioOptions, StdioService } from './serve-stdio.ts';
export { tools } from './tools/table.ts';
export { toolSet, toolSetNames } from './tools/tool-sets.ts';
export type { ToolSetName } from './tools/tool-sets.ts';
export type {
  Choice,
  Question,
  Services,
  Tool,
  ToolAnnotations,
  ToolAnswer,
  ToolContext,
} from './tools/tool.ts';
export type { ServerIdentity } from './introduction.ts';
export { legacyVersions } from './versions.ts';
