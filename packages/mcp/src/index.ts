export type { VersionPolicy } from './front-door/lifecycle.ts';
export { createLog } from './log.ts';
export type { Log } from './log.ts';
export { serveStdio } from './serve-stdio.ts';
export type { ServeStdioOptions, StdioService } from './serve-stdio.ts';
export { tools } from './tools/table.ts';
export type { Services, Tool, ToolAnnotations } from './tools/tool.ts';
export { legacyVersions } from './versions.ts';
