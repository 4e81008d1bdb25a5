"""What Alembic runs: the connection comes from migrations.runner, or (alembic's own command line) from the settings."""

from alembic import context

from app.tables import Base

connection = context.config.attributes.get("connection")
assert connection is not None, "run `headgate migrate`; to write a migration see docs/migrations.md"
context.configure(connection=connection, target_metadata=Base.metadata, compare_server_default=True)
context.run_migrations()
