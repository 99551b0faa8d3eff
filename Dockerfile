# syntax=docker/dockerfile:1

FROM rust:1.88.0-slim-bookworm AS rust

# The server in a virtual environment of its own, built with tools that the image does not keep.
FROM python:3.11.14-slim-bookworm AS build
# Debian keeps no older versions that could be named.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --constraint constraints.txt --upgrade pip \
    && python -m venv --without-pip /opt/ginrummy \
    && pip --python /opt/ginrummy/bin/python install --no-cache-dir \
        --constraint constraints.txt --build-constraint constraints.txt ./proto '.[otel]'

# The same Python, so that the environment fits; its installers have nothing more to do.
FROM python:3.11.14-slim-bookworm
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="ginrummy-server" \
    org.opencontainers.image.description="Gin rummy engine and gRPC server" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.base.name="docker.io/library/python:3.11.14-slim-bookworm"
RUN pip uninstall --yes pip setuptools wheel \
    && useradd --system --uid 10001 --user-group --no-create-home ginrummy \
    && install --directory --mode 0700 --owner ginrummy --group ginrummy /data
COPY --from=build /opt/ginrummy /opt/ginrummy
# What a container needs otherwise than a program at home. All other settings are the usual ones;
# without API keys the server does not start, since 0.0.0.0 is open to others.
ENV PATH=/opt/ginrummy/bin:$PATH \
    GINRUMMY_HOST=0.0.0.0 \
    GINRUMMY_DATA_DIR=/data \
    GINRUMMY_METRICS_HOST=0.0.0.0
# By number, so that Kubernetes can see that it is not root. Nothing is written but /data.
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["ginrummy-server", "health"]
ENTRYPOINT ["ginrummy-server"]
