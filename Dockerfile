# A tag may be another image tomorrow. To build from one image for good, name its digest:
#   docker buildx imagetools inspect python:3.12-slim     (prints it)
#   docker build --build-arg PYTHON_IMAGE=python:3.12-slim@sha256:... .
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}

WORKDIR /srv/headgate
# By themselves, so that a change of our code does not install them again. Hash-pinned: what the lock names or nothing.
COPY requirements-uv.lock requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements-uv.lock \
 && uv pip install --system --no-cache --compile-bytecode --require-hashes -r requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY tools/build_backend.py tools/build_backend.py
COPY tools/package tools/package
COPY app app
COPY planner planner
COPY ingest ingest
COPY migrations migrations
RUN uv pip install --system --no-cache --no-deps .

RUN useradd --uid 10001 --create-home --home-dir /var/lib/headgate headgate
# A new volume takes the owner of the folder in its place.
RUN install --directory --owner=headgate /var/lib/headgate/backups
USER 10001
WORKDIR /var/lib/headgate
# With a read-only root filesystem, /tmp must be writable; ~/.cache may be: the simulator keeps its machine code there.
ENV MPLCONFIGDIR=/tmp
# The machine code for this kind of processor; on another one it is compiled anew.
RUN python -c "from headgate.planner.simulation.simulate import warm_up; warm_up()"
EXPOSE 8000
CMD ["headgate", "serve"]
