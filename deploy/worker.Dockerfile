# A worker as an image: the server with what results are tried with before they are
# delivered: Go, Node, Python, make and bubblewrap. Other roles need no more than
# deploy/Dockerfile.
#
#   docker build -f deploy/worker.Dockerfile -t svcd-worker .
#   docker run -d --name worker --stop-timeout 35 --init \
#     --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges \
#     --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined \
#     --memory 8g --pids-limit 8192 -v worker:/var/lib/svcd \
#     -e SVCD_ROLES=worker -e SVCD_DATABASE_URL=… -e SVCD_BLOB_URL=… -e SVCD_NATS_URL=… svcd-worker
#   docker exec worker svcd engine check
#
# The three options are what a sandbox inside a container needs: the engine's own
# filter forbids namespaces, its profile forbids mounts, and a covered /proc cannot
# be mounted anew. What runs inside the sandbox has a filter of its own. Where that
# is not wanted, start containers from outside with --sandbox command.

FROM golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
ARG VERSION=devel
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /image/ ./cmd/svcd

FROM golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d
ARG VERSION=devel
LABEL org.opencontainers.image.title=svcd-worker \
      org.opencontainers.image.description="Bundles of generated code, tried before they are delivered" \
      org.opencontainers.image.source=https://github.com/bundle-delivery/svc \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.version=${VERSION}
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ca-certificates make nodejs npm python3 python3-pip \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 65532 --home-dir /var/lib/svcd --shell /usr/sbin/nologin svcd \
    && install -d -m 0700 -o svcd -g svcd /var/lib/svcd
COPY --from=build /image/svcd /usr/bin/svcd
COPY LICENSE cmd/svcd/NOTICES.txt /usr/share/doc/svcd/
USER 65532:65532
WORKDIR /var/lib/svcd
ENV SVCD_DATA_DIR=/var/lib/svcd SVCD_LISTEN=:8443 SVCD_VALIDATE=test SVCD_SANDBOX=bwrap
VOLUME /var/lib/svcd
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/bin/svcd", "health"]
ENTRYPOINT ["/usr/bin/svcd"]
CMD ["serve"]
