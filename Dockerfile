# syntax=docker/dockerfile:1
# The service without a MongoDB: set MONGODB_URI or MONGODB_URI_FILE. It writes nothing but /tmp, and needs no capability.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /packages
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
# --build-arg TRACES=1 adds OpenTelemetry's SDK (38 MB) in the version of the lockfile
ARG TRACES=0
RUN if [ "$TRACES" = 1 ]; then \
      sdk=$(npm pkg get 'peerDependencies.@opentelemetry/sdk-node' | tr -d '"') && \
      npm pkg delete devDependencies peerDependencies peerDependenciesMeta && \
      npm pkg set "dependencies.@opentelemetry/sdk-node=$sdk" && \
      npm install --omit=dev; \
    fi

FROM gcr.io/distroless/nodejs24-debian12:nonroot
LABEL org.opencontainers.image.title="inspection-exchange" \
      org.opencontainers.image.description="Cargo inspection data exchange: GraphQL over MongoDB, and REST translated into it"
ENV NODE_ENV=production ENVIRONMENT=production HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /packages/node_modules ./node_modules
COPY --from=build /build/dist ./dist
USER 65532:65532
EXPOSE 4000 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["/nodejs/bin/node", "dist/src/cli/bin.js", "probe"]
ENTRYPOINT ["/nodejs/bin/node", "dist/src/cli/bin.js"]
