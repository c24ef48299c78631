# The service in an image: the wheel of this checkout, its runtime dependencies pinned by hash, no root.
# Answering needs no torch. TORCH=cpu or TORCH=default (with the CUDA libraries) adds it: training, other models.
# The digest is that of the index of all platforms, as public projects pin it; neither it nor this image was pulled or built here.
ARG PYTHON=3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d

FROM python:${PYTHON} AS build
ARG TORCH=none
WORKDIR /src
COPY bootstrap.lock requirements.lock pyproject.toml ./
COPY deploy/install.sh deploy/
RUN python -m venv /opt/clause \
 && /opt/clause/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r bootstrap.lock \
 && sh deploy/install.sh /opt/clause "${TORCH}"
COPY . .
RUN /opt/clause/bin/uv pip install --no-cache --python /opt/clause/bin/python --no-deps . \
 && /opt/clause/bin/python -m pip uninstall --yes uv

FROM python:${PYTHON}
LABEL org.opencontainers.image.title="clause" \
      org.opencontainers.image.description="Memory and reasoning for agents, on a Neo4j graph" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 clause \
 && useradd --uid 10001 --gid clause --no-create-home --home-dir /var/lib/clause --shell /usr/sbin/nologin clause \
 && install -d -o clause -g clause -m 0700 /var/lib/clause
COPY --from=build /opt/clause /opt/clause
ENV PATH=/opt/clause/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HF_HUB_OFFLINE=1 \
    CLAUSE_HOME=/var/lib/clause
USER 10001:10001
WORKDIR /var/lib/clause
VOLUME /var/lib/clause
EXPOSE 8420 8421
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=6 \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8420/health/ready', timeout=4)"]
ENTRYPOINT ["clause"]
CMD ["serve", "--host", "0.0.0.0"]
