"""A process that behaves like Neo4j as far as starting and stopping go. Run: `python neo4j_server.py BEHAVIOUR ...`.

Behaviours: `up` listens, says so and speaks Bolt; `mute` stays silent; `taken` finds its port taken the first time;
`full` finds the disk full; `gone` ends at once.
"""

from __future__ import annotations

import re
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path


def main() -> None:
    behaviour = sys.argv[1]
    home = Path(next(word for word in sys.argv if word.startswith("--home-dir=")).removeprefix("--home-dir="))
    log = home / "logs" / "neo4j.log"
    first = not (home / "data" / "tried").exists()
    (home / "data" / "tried").write_text("yes")
    (home / "data" / "databases" / "system").mkdir(parents=True, exist_ok=True)
    if behaviour == "gone":
        return
    if behaviour == "full":
        log.write_text("ERROR java.io.IOException: No space left on device\n")
        return
    if behaviour == "mute":
        time.sleep(600)
    if behaviour == "always-taken" or (behaviour == "taken" and first):
        log.write_text("ERROR java.net.BindException: Address already in use\n")
        return
    found = re.search(r"bolt\.listen_address=127\.0\.0\.1:(\d+)", (home / "conf" / "neo4j.conf").read_text())
    assert found
    with socket.create_server(("127.0.0.1", int(found.group(1)))) as server:
        log.write_text("INFO  Started.\n")
        while True:
            with server.accept()[0] as client, suppress(OSError):
                if client.recv(20):
                    client.sendall(bytes([0, 0, 8, 5]))


if __name__ == "__main__":
    main()
