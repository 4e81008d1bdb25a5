"""`python -m headgate`: the same as the command `headgate`."""

from app.cli import main

if __name__ == "__main__":
    main()
