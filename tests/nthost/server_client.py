# SPDX-License-Identifier: BSD-3-Clause
"""The client side of server/protocol.h in Python, for run_nthost.py and for requests by hand."""
import os
import select
import socket
import struct
import subprocess
import time

HELLO, OPEN, CONTROL, CLEANUP, CLOSE, RUN, RUN_STATE, STOP_RUN, SHUTDOWN = range(1, 10)
MAGIC = 0x54484E57
ANSWER = struct.Struct("<4I")
START_UP_S = 120
HUNG_S = 240  # seconds to wait for an answer: a busy machine emulates slowly, and programs on it come first


class HostGone(Exception):
    pass


class Host:
    """A connection to the server at a port, made once the process (QEMU with the NT host, or another) prints that it
    serves: the emulated UART drops a byte that comes before. A context manager: the process is killed at the end."""

    def __init__(self, command, port, environment=None):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment, bufsize=0,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.line = None
        self.port = port
        self.printed = b""
        try:
            self.wait_until_it_serves()
        except HostGone:
            self.__exit__()
            raise

    def wait_until_it_serves(self):
        deadline = time.monotonic() + START_UP_S
        while b"serving" not in self.printed.splitlines():
            readable, _, _ = select.select([self.process.stdout], [], [], max(deadline - time.monotonic(), 0))
            part = os.read(self.process.stdout.fileno(), 4096) if readable else b""
            if not part:
                why = "the host ended" if readable else f"the host does not serve after {START_UP_S} s"
                raise HostGone(f"{why}; it printed:\n{self.printed.decode(errors='replace')}")
            self.printed += part

    def __enter__(self):
        try:
            self.line = self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.line is not None:
            self.line.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.stdout.close()
        self.process.wait()

    def connect(self):
        line = socket.create_connection(("127.0.0.1", self.port), timeout=START_UP_S)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.settimeout(HUNG_S)
        return line

    def text(self):
        """The output of the host until its end."""
        self.printed += self.process.stdout.read()
        return self.printed.decode(errors="replace")

    def receive(self, size):
        data = b""
        while len(data) < size:
            part = self.line.recv(size - len(data))
            if not part:
                raise HostGone(self.text())
            data += part
        return data

    def ask(self, kind, payload=b"", *, client=0, code=0, process=0, capacity=0, rights=0):
        """Sends one frame; returns its answer as (status, bytes)."""
        frame = struct.pack("<8I", MAGIC, kind, client, code, process, len(payload), capacity, rights)
        self.line.sendall(frame + payload)
        status, returned, sent, _ = ANSWER.unpack(self.receive(ANSWER.size))
        return status, self.receive(sent) + bytes(returned - sent)

    def run(self, process, cpu, base, code, argument=0, rights=0):
        request = struct.pack("<3Q4I", base, 0, argument, cpu, process + 1, len(code), 0)
        return self.ask(RUN, request + code, process=process, rights=rights)[0]

    def program(self, kind, process, cpu):
        """Sends RUN_STATE or STOP_RUN; returns (condition, result)."""
        status, data = self.ask(kind, struct.pack("<I", cpu), process=process, capacity=16)
        assert status == 0, hex(status)
        condition, _, result = struct.unpack("<2IQ", data)
        return condition, result

    def shut_down(self):
        """Returns the console's text. The caller then checks self.process.returncode."""
        self.ask(SHUTDOWN)
        text = self.text()
        self.process.wait(timeout=START_UP_S)
        return text


def with_serial_at(port, command):
    command = list(command)
    command[command.index("-serial") + 1] = f"tcp:127.0.0.1:{port},server=on,wait=off,nodelay=on"
    return command
