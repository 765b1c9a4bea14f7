# docs/production.md, "Docker". Stage base: what `make setup` needs; also for .devcontainer.
FROM python:3.11-slim-bookworm AS base
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make openjdk-17-jre-headless procps tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home watershed

FROM base AS watershed
COPY --chown=watershed . /srv/watershed
RUN install --directory --owner=watershed /data && chown watershed /srv/watershed
USER watershed
WORKDIR /srv/watershed
RUN make setup
# Below the volume, since the samples have a folder next to it.
ENV WATERSHED_HOME=/data/home
VOLUME /data
ENTRYPOINT ["tini", "--"]
CMD [".venv/bin/watershed", "serve"]
