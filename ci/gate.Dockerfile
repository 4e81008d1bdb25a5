# The image of `headgate gate`: planner, command line, gate, bridge and client, without service and database (under 300 MB).
#   docker build -f ci/gate.Dockerfile -t headgate-gate .
#   docker run --rm -v "$PWD:/work" headgate-gate gate topology.yaml --load load.yaml --t-max 0.5
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}

WORKDIR /srv/headgate
COPY requirements-uv.lock requirements-light.lock ./
COPY pyproject.toml README.md LICENSE ./
COPY tools/build_backend.py tools/build_backend.py
COPY tools/package tools/package
COPY app app
COPY planner planner
COPY ingest ingest
COPY migrations migrations
# In one layer, so that the installer leaves nothing behind: its program alone has 40 MB.
RUN pip install --no-cache-dir --require-hashes -r requirements-uv.lock \
 && uv pip install --system --no-cache --compile-bytecode --no-config --no-deps --require-hashes -r requirements-light.lock \
 && uv pip install --system --no-cache --no-deps --compile-bytecode . \
 && pip uninstall --yes --quiet uv

RUN useradd --uid 10001 --create-home headgate
USER 10001
WORKDIR /work
ENTRYPOINT ["headgate"]
CMD ["gate", "--help"]
