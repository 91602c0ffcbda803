export { createHttpHandler } from './http/create-http-handler.ts';
export type {
  HttpCounts,
  HttpHandler,
  HttpHandlerOptions,
  HttpLimits,
  Visitor,
} from './http/http-options.ts';
export type { BodyLimits } from './http/read-body.ts';
export type { RevokedIds } from './http/revoked-ids.ts';
export type { BegunCall, CallWatchers, FinishedCall } from './watched-call.ts';
