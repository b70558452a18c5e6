// SPDX-License-Identifier: BSD-3-Clause
// chase.exe [bytes [steps]]: follows pointers through `bytes` of memory, one pointer per cache line, in one random
// cycle over all of them. Each load depends on the previous one. Defaults: 16 MiB, 2,000,000 steps.
#include "program.h"

struct Node {
  struct Node* next;
  u64 padding[7];
};

__attribute__((noinline)) static void make_cycle(struct Node* nodes, u64 count) {
  u64 random = 88172645463325252u;
  for (u64 index = 0; index < count; ++index) nodes[index].next = &nodes[index];
  // Sattolo's shuffle: the result is a single cycle.
  for (u64 index = count - 1; index > 0; --index) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const u64 other = (random >> 32) * index >> 32;
    struct Node* const kept = nodes[index].next;
    nodes[index].next = nodes[other].next;
    nodes[other].next = kept;
  }
}

__attribute__((noinline)) static struct Node* chase(struct Node* node, u64 steps) {
  for (; steps != 0; --steps) node = node->next;
  return node;
}

int run(void) {
  const u64 bytes = number_argument(1, 16u << 20);
  const u64 steps = number_argument(2, 2000000);
  const u64 count = bytes / sizeof(struct Node);
  if (count < 2 || count > 0xffffffffu) return 2;
  struct Node* const nodes = take_pages(bytes);
  if (nodes == 0) return 2;
  make_cycle(nodes, count);
  struct Node* const last = chase(nodes, steps);
  print("node", (u64)(last - nodes));
  // The walk must be back at the start exactly after whole rounds.
  return (last == nodes) != (steps % count == 0);
}
