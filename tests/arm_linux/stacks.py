# SPDX-License-Identifier: BSD-3-Clause
# A quarter of its time is in leaf_a(), the other three quarters in leaf_b(), which middle() calls.
def leaf_a(rounds):
    total = 0
    for i in range(rounds):
        total += i * i


def leaf_b(rounds):
    total = 0
    for i in range(rounds):
        total += i * i


def middle():
    leaf_b(3000)


def main():
    for _ in range(400):
        leaf_a(1000)
        middle()


main()
