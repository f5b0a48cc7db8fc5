"""`python -m nkmeans.cli`."""

from nkmeans.cli import main

main()
