FROM python:3.12-slim

WORKDIR /srv/headgate
# By themselves, so that a change of our code does not install them again. Hash-pinned: what the lock names or nothing.
COPY requirements-uv.lock requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements-uv.lock \
 && uv pip install --system --no-cache --compile-bytecode --require-hashes -r requirements.lock

COPY pyproject.toml README.md ./
COPY app app
COPY planner planner
COPY ingest ingest
COPY migrations migrations
RUN uv pip install --system --no-cache --no-deps .

RUN useradd --uid 10001 --create-home --home-dir /var/lib/headgate headgate
USER 10001
WORKDIR /var/lib/headgate
# The simulator's machine code is kept in this user's ~/.cache; on another kind of processor it is compiled anew.
RUN python -c "from planner.simulation.simulate import warm_up; warm_up()"
EXPOSE 8000
CMD ["headgate", "serve"]
