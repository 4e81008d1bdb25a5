"""The script that Alembic runs for each migration; migrations.runner opens the connection."""

from alembic import context

from app.database.tables import Base

connection = context.config.attributes.get("connection")
assert connection is not None, "run `headgate migrate`"
context.configure(connection=connection, target_metadata=Base.metadata, compare_server_default=True)
context.run_migrations()
