# syntax=docker/dockerfile:1

# The wheels, built with Rust and a compiler that the image does not keep.
FROM rust:1-slim-bookworm AS wheels
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /venv
WORKDIR /src
COPY . .
RUN /venv/bin/pip install --no-cache-dir --constraint constraints.txt --upgrade pip \
    && /venv/bin/pip wheel --no-cache-dir --constraint constraints.txt --wheel-dir /wheels ./proto .

# The Python of the first stage, so that its wheels fit.
FROM python:3.11-slim-bookworm
RUN --mount=type=bind,from=wheels,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels ginrummy-server \
    && useradd --system --uid 10001 --no-create-home ginrummy \
    && install --directory --owner ginrummy --group ginrummy /data
USER ginrummy
VOLUME /data
EXPOSE 50051
# The standard grpc.health.v1 service says whether matches are being served.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["python", "-c", "import grpc; from grpc_health.v1 import health_pb2 as h, health_pb2_grpc as g; s = g.HealthStub(grpc.insecure_channel('127.0.0.1:50051')).Check(h.HealthCheckRequest(), timeout=2).status; raise SystemExit(s != h.HealthCheckResponse.SERVING)"]
ENTRYPOINT ["ginrummy-server"]
CMD ["--host", "0.0.0.0", "--port", "50051", "--data-dir", "/data"]
