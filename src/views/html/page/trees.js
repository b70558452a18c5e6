// SPDX-License-Identifier: BSD-3-Clause
// Trees as the views show them: that of the profile as it is, without recursion, turned around, or around one function.

// (parent, function) → node, in open addressing: Maps of numbers are ten times slower.
class EdgeTable {
  constructor() {
    this.size = 1 << 12;
    this.slots = new Int32Array(this.size).fill(-1);
    this.parent = [-1];
    this.functions = [-1];
  }
  child(parent, function_) {
    let at = this.slotOf(parent, function_);
    for (; this.slots[at] !== -1; at = (at + 1) & (this.size - 1)) {
      const node = this.slots[at];
      if (this.parent[node] === parent && this.functions[node] === function_) return node;
    }
    const node = this.parent.push(parent) - 1;
    this.functions.push(function_);
    this.slots[at] = node;
    if (this.parent.length * 2 > this.size) this.grow();
    return node;
  }
  slotOf(parent, function_) {
    return (Math.imul(Math.imul(parent, 0x9e3779b1) ^ function_, 0x85ebca6b) >>> 7) & (this.size - 1);
  }
  grow() {
    this.size *= 2;
    this.slots = new Int32Array(this.size).fill(-1);
    for (let node = 1; node < this.parent.length; ++node) {
      let at = this.slotOf(this.parent[node], this.functions[node]);
      while (this.slots[at] !== -1) at = (at + 1) & (this.size - 1);
      this.slots[at] = node;
    }
  }
}

// Where each node of the profile's tree goes. Nodes with weight only, unless they lie on the way to one.
function foldedRecursion(profile, weights) {
  const { tree } = profile;
  const total = totalsOf(tree, weights.samples);
  const edges = new EdgeTable();
  const target = new Int32Array(tree.count);
  for (let node = 1; node < tree.count; ++node) {
    if (total[node] === 0) continue;
    const parent = target[tree.parent[node]], function_ = tree.functions[node];
    let same = parent;
    while (same > 0 && edges.functions[same] !== function_) same = edges.parent[same];
    target[node] = same > 0 ? same : edges.child(parent, function_);
  }
  return { edges, target };
}

// Callers below what they called. `fold`: a function that comes again on the way up is passed over.
function turnedAround(profile, weights, fold) {
  const { tree } = profile;
  const edges = new EdgeTable();
  const target = new Int32Array(tree.count);
  for (let node = 1; node < tree.count; ++node) {
    if (weights.samples[node] === 0) continue;
    let at = 0;
    for (let up = node; up > 0; up = tree.parent[up]) {
      const function_ = tree.functions[up];
      if (fold) {
        let same = at;
        while (same > 0 && edges.functions[same] !== function_) same = edges.parent[same];
        if (same > 0) continue;
      }
      at = edges.child(at, function_);
    }
    target[node] = at;
  }
  return { edges, target };
}

// Below one function: what it called, from its outermost call on, or who called it.
function aroundFunction(profile, weights, chosen, wantsCallers) {
  const { tree } = profile;
  const edges = new EdgeTable();
  const top = edges.child(0, chosen);
  const target = new Int32Array(tree.count);
  const inside = new Int32Array(tree.count);  // the node of the new tree, or 0 outside of the function
  const entry = new Int32Array(tree.count);   // the outermost call that a node lies below
  for (let node = 1; node < tree.count; ++node) {
    const parent = tree.parent[node];
    if (entry[parent] !== 0) entry[node] = entry[parent];
    else if (tree.functions[node] === chosen) entry[node] = node;
    if (entry[node] === 0) continue;
    if (!wantsCallers) inside[node] = entry[node] === node ? top : edges.child(inside[parent], tree.functions[node]);
  }
  const callers = new Map();
  const callerNode = (node) => {
    if (!callers.has(node)) {
      let at = top;
      for (let up = tree.parent[node]; up > 0; up = tree.parent[up]) at = edges.child(at, tree.functions[up]);
      callers.set(node, at);
    }
    return callers.get(node);
  };
  for (let node = 1; node < tree.count; ++node) {
    if (entry[node] === 0 || weights.samples[node] === 0) continue;
    target[node] = wantsCallers ? callerNode(entry[node]) : inside[node];
  }
  return { edges, target };
}

// The tree with its sums and lists of children, the greatest first. Parents stand before their children.
function summed(parent, functions, count, values) {
  const shown = { count, parent, functions, depth: new Int32Array(count) };
  for (const [name, self] of Object.entries(values)) {
    shown[name] = { self, total: self === null ? null : totalsOf({ count, parent }, self) };
  }
  const total = shown.weight.total;
  const begins = new Int32Array(count + 1);
  for (let node = 1; node < count; ++node) {
    shown.depth[node] = shown.depth[parent[node]] + 1;
    if (total[node] > 0) ++begins[parent[node] + 1];
  }
  for (let node = 0; node < count; ++node) begins[node + 1] += begins[node];
  const next = begins.slice();
  const children = new Int32Array(begins[count]);
  for (let node = 1; node < count; ++node) if (total[node] > 0) children[next[parent[node]]++] = node;
  for (let node = 0; node < count; ++node) {
    if (begins[node + 1] - begins[node] > 1) {
      children.subarray(begins[node], begins[node + 1]).sort((a, b) => total[b] - total[a] || functions[a] - functions[b]);
    }
  }
  shown.begins = begins;
  shown.children = children;
  return shown;
}

function shownTree(profile, weights, made) {
  const { tree } = profile;
  if (made === null) {
    return summed(tree.parent, tree.functions, tree.count, { weight: weights.self, samples: weights.samples, other: weights.other, counted: weights.counted });
  }
  const count = made.edges.parent.length;
  const moved = (self) => {
    if (self === null) return null;
    const out = new Float64Array(count);
    for (let node = 1; node < tree.count; ++node) if (self[node] !== 0) out[made.target[node]] += self[node];
    out[0] = 0;  // of stacks without the function in the middle
    return out;
  };
  return summed(Int32Array.from(made.edges.parent), Int32Array.from(made.edges.functions), count,
    { weight: moved(weights.self), samples: moved(weights.samples), other: moved(weights.other), counted: moved(weights.counted) });
}

function treeOfState(profile, weights, state) {
  const made = state.invert ? turnedAround(profile, weights, state.fold === 1) : state.fold ? foldedRecursion(profile, weights) : null;
  return shownTree(profile, weights, made);
}

// Where each node lies: from x on, as wide as its total; and the nodes of each depth from left to right.
function layoutOf(shown) {
  const x = new Float64Array(shown.count);
  const levels = [];
  const next = shown.begins.slice();
  const path = [0];
  const free = [0];  // by depth: where the next child begins
  while (path.length > 0) {
    const node = path[path.length - 1];
    if (next[node] === shown.begins[node + 1]) {
      path.pop();
      free.length = path.length + 1;
      continue;
    }
    const child = shown.children[next[node]++];
    const depth = path.length;
    x[child] = free[depth - 1];
    free[depth - 1] += shown.weight.total[child];
    free[depth] = x[child];
    (levels[depth - 1] ??= []).push(child);
    path.push(child);
  }
  return { x, levels: levels.map((level) => Int32Array.from(level)) };
}
