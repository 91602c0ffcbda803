export { createBufferedLog, createLog, describeError } from './log.ts';
export type { Log } from './log.ts';
export { serveStdio } from './serve-stdio.ts';
export type { ServeStdioOptions, StdioService } from './serve-stdio.ts';
export type { IdentifiedCall } from './tool-support/run-tool.ts';
export { tools, toolSet, toolSetNames } from './tools/table.ts';
export type { ToolSetName } from './tools/table.ts';
export type {
  Choice,
  Progress,
  Question,
  Services,
  Tool,
  ToolAnnotations,
  ToolContext,
} from './tool-support/tool.ts';
export type { ServerIdentity } from './server-info.ts';
