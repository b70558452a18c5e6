# SPDX-License-Identifier: BSD-3-Clause
"""A program of test_python.py and test_cpython.py that reports its own work. It writes to the file named by its
argument: when each of its parts began and ended, in which thread, and the stacks of functions that are possible in that
time."""
import collections
import contextlib
import functools
import json
import os
import re
import sys
import threading
import time

try:
    import ctypes
except ImportError:
    ctypes = None

LENGTH = float(sys.argv[2]) if len(sys.argv) > 2 else 0.15
NOTES = []


def burn(count=300):
    total = 0
    for i in range(count):
        total += i * i
    return total


def recursion():
    def down(depth):
        return burn() if depth == 0 else down(depth - 1)
    return down(12)


def generators():
    def inner():
        for _ in range(5):
            yield burn()

    def outer():
        yield from inner()
    return sum(outer())


def coroutines():
    class Ready:
        def __await__(self):
            burn()
            yield 1

    async def leaf():
        await Ready()
        return burn()

    async def root():
        return await leaf() + await leaf()
    task = root()
    with contextlib.suppress(StopIteration):
        while True:
            task.send(None)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)
    return wrapper


@decorated
@decorated
def decorators():
    return burn()


def sort_key(value):
    return burn(30) - value


def sorting():
    return sorted(range(50), key=sort_key)


def mapping():
    return list(map(lambda value: burn(50) + value, range(30)))


def comprehension():
    return [burn(20) for _ in range(100)]


def generator_expression():
    return sum(burn(20) for _ in range(100))


def exceptions():
    def raises():
        burn(50)
        raise ValueError("x")

    def handles():
        try:
            raises()
        except ValueError:
            burn(50)
        finally:
            burn(50)
    handles()


def reducing():
    return functools.reduce(lambda left, right: left + burn(right), range(60))


def partial():
    return functools.partial(burn, 300)()


@functools.lru_cache(maxsize=1)
def cached(value):
    return burn() + value


def caching():
    return cached(1) + cached(2)


def replacing():
    return re.sub("a", lambda found: str(burn(50)), "abababab")


class Value:
    def __init__(self, number):
        self.number = number

    @property
    def slow(self):
        return burn() + self.number

    def __hash__(self):
        burn(50)
        return 1

    def __eq__(self, other):
        burn(50)
        return self.number == other.number

    def __call__(self):
        return burn()

    def __enter__(self):
        burn()
        return self

    def __exit__(self, *error):
        burn()


def properties():
    return Value(1).slow


def keys():
    return {Value(1): 1, Value(2): 2}


def called_object():
    return Value(3)()


def context_manager():
    with Value(4):
        burn()


def encode(value):
    return burn() + value.number


def json_default():
    return json.dumps([Value(1), Value(2)], default=encode)


def executed():
    exec(compile("def made():\n    return burn()\nmade()\n", "made.py", "exec"), {"burn": burn})


def compare(left, right):
    burn(50)
    return left[0] - right[0]


def foreign_callback():
    order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    numbers = (ctypes.c_int * 16)(*range(16, 0, -1))
    ctypes.CDLL(None).qsort(numbers, len(numbers), ctypes.sizeof(ctypes.c_int), order(compare))


def native_work():
    return 3 ** 20000 % 1000


try:
    import _interpreters as subinterpreters  # since 3.13
    run_inside = subinterpreters.exec
except ImportError:
    import _xxsubinterpreters as subinterpreters
    run_inside = subinterpreters.run_string
INSIDE = """
def inside():
    total = 0
    for i in range(20000):
        total += i * i
inside()
"""


def subinterpreter():
    run_inside(INTERPRETERS[0], INSIDE)


INTERPRETERS = []  # a process with several interpreters cannot fork


PARTS = {
    recursion: "(down/){0,13}(burn)?", generators: "(outer(/inner(/burn)?)?)?", coroutines: "(Ready|__init__|__enter__|__exit__|root(/leaf(/__await__)?(/burn)?)?)?",
    decorators: "(wrapper(/decorators(/burn)?)?)?", sorting: "(sort_key(/burn)?)?", mapping: "(<lambda>(/burn)?)?",
    comprehension: "((<listcomp>)?/?(burn)?)", generator_expression: "(<genexpr>(/burn)?)?",
    exceptions: "(handles(/(burn|raises(/burn)?))?)?", reducing: "(<lambda>(/burn)?)?", partial: "(burn)?",
    caching: "(cached(/burn)?)?", replacing: ".*?(<lambda>(/burn)?)?", properties: "(__init__|slow(/burn)?)?",
    keys: "(__init__|__hash__(/burn)?|__eq__(/burn)?)?", called_object: "(__init__|__call__(/burn)?)?",
    context_manager: "(__init__|burn|__enter__(/burn)?|__exit__(/burn)?)?", json_default: ".*?(encode(/burn)?)?",
    executed: "(<module>(/made(/burn)?)?)?", foreign_callback: ".*?(compare(/burn)?)?", native_work: "",
}


def note(name, begin, end, stacks):
    NOTES.append({"name": name, "tid": threading.get_native_id(), "begin": begin, "end": end, "stacks": stacks})


def run(part, stacks, outer):
    begin = time.monotonic_ns()
    until = begin + LENGTH * 1e9
    while time.monotonic_ns() < until:
        part()
    name = part.__name__ if part is not decorators else "wrapper"
    note(part.__name__, begin, time.monotonic_ns(), f"{outer}run(/{name}(/({stacks}))?/?)?")


def two_threads():
    def work(part):
        run(part, PARTS[part], ".*work/")
    threads = [threading.Thread(target=work, args=(part,)) for part in (recursion, comprehension)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lines():
    """Each statement takes a long time. The recorded line is the line of the call."""
    first = sys._getframe().f_code.co_firstlineno
    marks = [time.monotonic_ns()]
    burn(int(LENGTH * 7e6))
    marks.append(time.monotonic_ns())
    sum(range(int(LENGTH * 3e7)))
    marks.append(time.monotonic_ns())
    [burn(100) for _ in range(int(LENGTH * 7e4))]
    marks.append(time.monotonic_ns())
    for number, line in enumerate((4, 6, 8)):
        NOTES.append({"name": "lines", "tid": threading.get_native_id(), "begin": marks[number], "end": marks[number + 1],
                      "function": "lines", "line": first + line})


def child():
    pid = os.fork()
    if pid == 0:
        NOTES.clear()
        run(recursion, PARTS[recursion], "<module>/child/")
        write(sys.argv[1] + ".child")
        os._exit(0)
    os.waitpid(pid, 0)


def write(path):
    with open(path, "w") as file:
        json.dump(NOTES, file)


if ctypes is None:
    del PARTS[foreign_callback]
for one, possible in PARTS.items():
    run(one, possible, "<module>/")
two_threads()
lines()
if hasattr(os, "fork"):
    child()
INTERPRETERS.append(subinterpreters.create())
run(subinterpreter, "(<module>(/inside)?)?", "<module>/")
subinterpreters.destroy(INTERPRETERS.pop())
write(sys.argv[1])
