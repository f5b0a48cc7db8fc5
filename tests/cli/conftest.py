"""The command line, run in this process."""

import pytest

from nkmeans import cli


@pytest.fixture
def nkmeans(capfd):
    """Run the command here, and return its exit code, output and error output."""

    def call(*words):
        capfd.readouterr()
        code = cli.run([str(word) for word in words])
        said = capfd.readouterr()
        return code, said.out, said.err

    return call
