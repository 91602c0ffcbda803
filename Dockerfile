# An image with the HTTP server and the command line, built from this checkout. docs/operations.md explains how to run it.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN node scripts/run.mjs image /image

FROM node:22-bookworm-slim
ENV NODE_ENV=production \
    WORKFLOWLOOKUP_STATE=/var/lib/workflowlookup
RUN install -d -o node -g node -m 700 /var/lib/workflowlookup
WORKDIR /opt/workflowlookup
COPY --from=build /image .
USER node
VOLUME /var/lib/workflowlookup
EXPOSE 8420
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8420/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell, SIGTERM reaches the server, so it can finish its requests before it stops.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve", "http", "--host", "0.0.0.0", "--auth", "keys", "--allowed-host", "localhost"]
