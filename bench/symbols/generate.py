#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a large freestanding C++ program and builds it into image + PDB, for bench/symbols/run.py.

generate.py --target aarch64|x86_64 --out FOLDER [--compilands 400] [--functions 94] [--jobs N]
Makes FOLDER/big.exe and FOLDER/big.pdb with clang and lld. Existing files that are newer than this script are kept. The
same arguments give the same sources: the numbers in them come from a fixed seed.
"""
import argparse
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys

HEADER = r"""
#pragma once
namespace engine {
using u32 = unsigned int;
using u64 = unsigned long long;
extern volatile u64 sink;

inline u32 rotate(u32 x, u32 by) {
  by &= 31;
  return by == 0 ? x : (x << by) | (x >> (32 - by));
}

inline u32 mix(u32 x) {
  x ^= x >> 15;
  x *= 0x2c1b3c6dU;
  x = rotate(x, 7);
  return x ^ (x >> 12);
}

template <class T, int N>
struct Ring {
  T items[N];
  u32 head = 0;
  u32 used = 0;

  __attribute__((always_inline)) u32 next(u32 at) const {
    return at + 1 == N ? 0 : at + 1;
  }
  void push(const T& item) {
    items[head] = item;
    head = next(head);
    if (used < N) ++used;
  }
  template <class F>
  u32 fold(F each) const {
    u32 sum = 0;
    u32 at = head;
    for (u32 i = 0; i < used; ++i) {
      at = next(at);
      sum += each(items[at]);
    }
    return sum;
  }
};

template <class Key, class Value>
struct Pair {
  Key key;
  Value value;
  u32 weight() const { return mix(static_cast<u32>(key)) ^ static_cast<u32>(value); }
};

namespace detail {
template <class A, class B>
inline u32 blend(const A& a, const B& b, u32 seed) {
  u32 left = mix(a.weight() + seed);
  u32 right = mix(b.weight() ^ seed);
  if (left > right) sink = sink + left;
  return left - rotate(right, seed);
}
}  // namespace detail

template <class A, class B>
inline u32 join(const A& a, const B& b, u32 seed) {
  u32 first = detail::blend(a, b, seed);
  return first + detail::blend(b, a, first);
}
}  // namespace engine
"""

RECORD = """
struct Record_{unit}_{i} {{
  u32 left_{i};
  u32 right_{i};
  u64 stamp_{i}[{n}];
  Pair<u32, u64> range_{i};
  u32 weight() const {{
    u32 sum = mix(left_{i});
    for (u64 one : stamp_{i}) sum += static_cast<u32>(one);
    return sum ^ range_{i}.weight();
  }}
  {member}u32 measure_{i}(u32 seed, const Record_{unit}_{i}* other) {{
    right_{i} = rotate(seed, {a}) + other->weight();
    if (other->left_{i} & 1) sink = sink + right_{i};
    return join(*this, *other, {b});
  }}
}};
"""

FUNCTION = """
{linkage}u32 {name}(u32 value, Record_{unit}_{i}* first, {other}* second) {{
  u32 result = mix(value + {a});
  if ((value & {mask}) != 0) {{
    result += join(*first, *second, value);
    sink = sink + result;
  }}
  Ring<Pair<u32, u32>, {n}> ring;
  for (u32 i = 0; i < value; ++i) {{
    ring.push({{i, result}});
    result = rotate(result, i) ^ mix(i * {b});
  }}
  result += ring.fold([=](const Pair<u32, u32>& pair) {{
    u32 weight = pair.weight();
    return weight > {c} ? weight - result : mix(weight);
  }});
  switch (value % 5) {{
    case 0: result += first->measure_{i}(result, first); break;
    case 1: result -= second->weight(); break;
    case 2: result ^= mix(result); break;
    default: break;
  }}
  return result;
}}
"""

LIGHT = """
{linkage}u32 {name}(u32 value, Record_{unit}_{i}* first, {other}* second) {{
  u32 sum = value ^ {a};
  while (sum > {c}) {{
    sink = sink + sum;
    sum = (sum >> {n}) - value;
  }}
  if (first->left_{i} < value)
    return rotate(sum, {mask});
  second->weight();
  return first->left_{i} + sum;
}}
"""

FLAGS = ["-O2", "-g", "-gcodeview", "-gno-codeview-command-line", "-ffreestanding", "-fno-builtin", "-std=c++20",
         "-fno-exceptions", "-fno-rtti", "-fno-stack-protector", "-ffunction-sections", "-fno-vectorize",
         "-fno-unroll-loops", "-fdebug-compilation-dir=.", "-Wno-everything", "-c"]


def unit_text(unit, functions):
    chance = random.Random(unit)
    text = ["#include \"engine.h\"\n", "namespace area_%d {\n" % (unit % 20), "using namespace engine;\n"]
    records = max(1, functions // 5)
    for i in range(records):
        text.append(RECORD.format(unit=unit, i=i, n=chance.randint(1, 4), a=chance.randint(1, 31),
                                  b=chance.randint(1, 1 << 20), member="__attribute__((noinline)) "))
    names = []
    for i in range(functions - records - 1):
        static = i % 7 == 0
        name = "compute_%d_step_%d" % (unit, i)
        record = i % records
        other = "Record_%d_%d" % (unit, chance.randrange(records))
        shape = FUNCTION if i % 4 == 1 else LIGHT
        text.append(shape.format(linkage="__attribute__((noinline)) " + ("static " if static else ""), name=name,
                                    unit=unit, i=record, other=other, a=chance.randint(1, 1 << 24),
                                    mask=chance.choice([3, 7, 15]), n=chance.randint(3, 9),
                                    b=chance.randint(1, 1 << 16), c=chance.randint(1, 1 << 16)))
        names.append((name, record, other))
    text.append("u64 run_%d(u32 value) {\n  u64 sum = 0;\n" % unit)
    for name, record, other in names:
        text.append("  static Record_%d_%d a_%s; static %s b_%s;\n" % (unit, record, name, other, name))
        text.append("  sum += %s(value, &a_%s, &b_%s);\n" % (name, name, name))
    text.append("  return sum;\n}\n}  // namespace\n")
    return "".join(text)


def main_text(units):
    text = ["#include \"engine.h\"\n", "namespace engine { volatile u64 sink; }\n",
            "extern \"C\" void* memset(void* to, int byte, unsigned long long count) {\n"
            "  for (unsigned long long i = 0; i < count; ++i) ((volatile char*)to)[i] = (char)byte;\n"
            "  return to;\n}\n",
            "extern \"C\" void* memcpy(void* to, const void* from, unsigned long long count) {\n"
            "  for (unsigned long long i = 0; i < count; ++i) ((volatile char*)to)[i] = ((const char*)from)[i];\n"
            "  return to;\n}\n"]
    for unit in range(units):
        text.append("namespace area_%d { engine::u64 run_%d(engine::u32); }\n" % (unit % 20, unit))
    text.append("extern \"C\" int start() {\n  engine::u64 sum = 0;\n")
    for unit in range(units):
        text.append("  sum += area_%d::run_%d(%d);\n" % (unit % 20, unit, unit))
    text.append("  return (int)sum;\n}\n")
    return "".join(text)


def tool(*names):
    for name in names:
        if shutil.which(name):
            return name
    sys.exit("generate.py: none of %s is installed" % ", ".join(names))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", choices=["aarch64", "x86_64"], required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--compilands", type=int, default=400)
    parser.add_argument("--functions", type=int, default=94)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    script_time = os.stat(__file__).st_mtime

    def is_made(path):
        return os.path.exists(path) and os.stat(path).st_mtime > script_time

    os.makedirs(options.out, exist_ok=True)
    out = options.out
    if is_made(os.path.join(out, "big.exe")) and is_made(os.path.join(out, "big.pdb")):
        return
    clang, lld = tool("clang-19", "clang"), tool("lld-link-19", "lld-link")

    def compile_unit(name, text):
        if is_made(os.path.join(out, name + ".obj")):
            return
        with open(os.path.join(out, name + ".cpp"), "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([clang, "--target=%s-pc-windows-msvc" % options.target, *FLAGS, name + ".cpp", "-o",
                        name + ".tmp"], cwd=out, check=True)
        os.replace(os.path.join(out, name + ".tmp"), os.path.join(out, name + ".obj"))

    with open(os.path.join(out, "engine.h"), "w", encoding="utf-8") as file:
        file.write(HEADER)
    units = [("unit_%03d" % unit, unit) for unit in range(options.compilands)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(lambda n=name, u=unit: compile_unit(n, unit_text(u, options.functions)))
                for name, unit in units]
        jobs.append(pool.submit(lambda: compile_unit("start", main_text(options.compilands))))
        for job in jobs:
            job.result()
    with open(os.path.join(out, "objects.rsp"), "w", encoding="utf-8") as file:
        file.write("\n".join(["start.obj"] + [name + ".obj" for name, _ in units]) + "\n")
    subprocess.run([lld, "/nologo", "/nodefaultlib", "/debug", "/Brepro", "/subsystem:console", "/entry:start",
                    "/machine:" + {"aarch64": "arm64", "x86_64": "x64"}[options.target], "/opt:ref", "/opt:icf",
                    "/pdbsourcepath:.", "/pdbaltpath:%_PDB%", "/out:big.exe", "/pdb:big.pdb", "@objects.rsp"], cwd=out,
                   check=True)


if __name__ == "__main__":
    main()
