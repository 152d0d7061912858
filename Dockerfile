# Both programs and the operator's tool, compiled, with the dependencies of package-lock.json.
# docker build --tag menagerie:0.3.0 --build-arg COMMIT=$(git rev-parse HEAD) .

FROM node:26.10.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY console/package.json console/
COPY scripts/node/package.json scripts/node/
# Without two workspaces: the pinned Node, since the image has one, and what only generates types.
RUN npm ci --ignore-scripts --include-workspace-root --workspace console
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY scripts scripts
COPY client client
COPY console console
COPY src src
ARG COMMIT=
RUN npm run build && chmod +x dist/bin/menagerie.js && npm prune --ignore-scripts --workspaces=false --omit=dev \
  && rm -rf node_modules/@img/*musl* node_modules/@img/*wasm* && node -e "fs.globSync('node_modules/**/*.map').forEach((file) => fs.rmSync(file))"
COPY samples samples
COPY docs/decisions.md docs/
COPY deploy/healthcheck.mjs ./
# The compile cache is one of the user that fills it.
RUN install -d -o node node_modules/.cache
USER node
RUN node scripts/warm.ts dist && chmod -R a+rX node_modules/.cache

FROM node:26.10.0-bookworm-slim
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && ln -s /app/dist/bin/menagerie.js /usr/local/bin/menagerie \
  && install -d -m 700 -o node -g node /data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE /app/healthcheck.mjs ./
COPY --from=build /app/scripts/prelude.cjs scripts/
COPY --from=build /app/docs docs
COPY --from=build /app/samples samples
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/console/dist console/dist
# TMPDIR: nothing else is writable.
ENV NODE_ENV=production HOST=0.0.0.0 STATUS_HOST=0.0.0.0 DATA_DIR=/data TMPDIR=/data MENAGERIE_IMAGE=oci
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s CMD ["node", "healthcheck.mjs"]
ENTRYPOINT ["menagerie"]
CMD ["start"]
