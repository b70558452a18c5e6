# SPDX-License-Identifier: BSD-3-Clause
"""The other side of server/protocol.h in Python: for run_nthost.py, and to try requests by hand."""
import socket
import struct
import subprocess
import time

HELLO, OPEN, CONTROL, CLEANUP, CLOSE, RUN, RUN_STATE, STOP_RUN, SHUTDOWN = range(1, 10)
MAGIC = 0x54484E57
ANSWER = struct.Struct("<4I")
START_UP_S = 30
HUNG_S = 600  # for an answer: a busy machine emulates slowly, and its programs come first


class HostGone(Exception):
    pass


class Host:
    """A connection to the server at a port, QEMU with the NT host or another. A context manager: the process is killed at the
    end."""

    def __init__(self, command, port, environment=None):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.line = None
        self.port = port

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
        deadline = time.monotonic() + START_UP_S
        while True:
            try:
                line = socket.create_connection(("127.0.0.1", self.port), timeout=START_UP_S)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                line.settimeout(HUNG_S)
                return line
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise HostGone(self.process.stdout.read()) from None
                time.sleep(0.02)

    def receive(self, size):
        data = b""
        while len(data) < size:
            part = self.line.recv(size - len(data))
            if not part:
                raise HostGone(self.process.stdout.read())
            data += part
        return data

    def ask(self, kind, payload=b"", *, client=0, code=0, process=0, capacity=0, rights=0):
        """One frame; its answer as (status, bytes)."""
        frame = struct.pack("<8I", MAGIC, kind, client, code, process, len(payload), capacity, rights)
        self.line.sendall(frame + payload)
        status, returned, sent, _ = ANSWER.unpack(self.receive(ANSWER.size))
        return status, self.receive(sent) + bytes(returned - sent)

    def run(self, process, cpu, base, code, argument=0, rights=0):
        request = struct.pack("<3Q4I", base, 0, argument, cpu, process + 1, len(code), 0)
        return self.ask(RUN, request + code, process=process, rights=rights)[0]

    def program(self, kind, process, cpu):
        """RUN_STATE or STOP_RUN: (condition, result)."""
        status, data = self.ask(kind, struct.pack("<I", cpu), process=process, capacity=16)
        assert status == 0, hex(status)
        condition, _, result = struct.unpack("<2IQ", data)
        return condition, result

    def shut_down(self):
        """The console's text; the caller looks at self.process.returncode."""
        self.ask(SHUTDOWN)
        text = self.process.stdout.read()
        self.process.wait(timeout=START_UP_S)
        return text


def with_serial_at(port, command):
    command = list(command)
    command[command.index("-serial") + 1] = f"tcp:127.0.0.1:{port},server=on,wait=off,nodelay=on"
    return command
