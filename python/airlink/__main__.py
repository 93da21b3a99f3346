"""`python -m airlink` is the command `airlink`."""

from airlink.cli import main

if __name__ == "__main__":
    main()
