export { createHttpHandler } from './http/http-handler.ts';
export type {
  HttpCounts,
  HttpHandler,
  HttpHandlerOptions,
  HttpLimits,
  RequestSender,
} from './http/http-handler.ts';
export type { BodyLimits } from './http/requests.ts';
export type { RevokedIds } from './http/live-sessions.ts';
export type { BegunCall, CallWatchers, FinishedCall } from './tool-support/run-tool.ts';
