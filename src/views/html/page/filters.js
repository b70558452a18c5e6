// SPDX-License-Identifier: BSD-3-Clause
// State → how much of each node of the tree counts. Every view is made of this.

// What a text finds: a regular expression if it is one, else as it stands; without regard to case.
function matcherOf(text) {
  try {
    return new RegExp(text, "iu");
  } catch {
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu");
  }
}

// By function: does one of its names match?
function functionsMatching(profile, text) {
  const matcher = matcherOf(text);
  const names = profile.functions.name;
  const found = new Uint8Array(names.length);
  for (let i = 0; i < names.length; ++i) found[i] = matcher.test(names[i]) ? 1 : 0;
  return found;
}

// By task: does its name match, or that of its process? A process is called as its first thread.
function tasksMatching(profile, text) {
  const matcher = matcherOf(text), { name, pid, tid } = profile.tasks;
  const processes = new Set(pid.filter((one, i) => tid[i] === one && matcher.test(name[i])));
  return Uint8Array.from(name, (one, i) => (matcher.test(one) || processes.has(pid[i]) ? 1 : 0));
}

// By node: is such a function on the way to it?
function nodesBelow(profile, isFunction) {
  const { count, parent, functions } = profile.tree;
  const below = new Uint8Array(count);
  for (let node = 1; node < count; ++node) below[node] = below[parent[node]] | isFunction[functions[node]];
  return below;
}

// By node: does the word of a filter ("f12", "m3", "t:text") say it?
function nodesOfWord(profile, word) {
  const { count, functions } = profile.tree;
  if (word[0] === "m") {  // samples in a module themselves
    const module = Number(word.slice(1));
    const found = new Uint8Array(count);
    for (let node = 1; node < count; ++node) found[node] = profile.functions.module[functions[node]] === module ? 1 : 0;
    return found;
  }
  if (word[0] === "f") {
    const chosen = new Uint8Array(profile.functions.name.length);
    chosen[Number(word.slice(1))] = 1;
    return nodesBelow(profile, chosen);
  }
  return nodesBelow(profile, functionsMatching(profile, decodeURIComponent(word.slice(2))));
}

function wordText(profile, word) {
  if (word[0] === "m") return "in " + (profile.modules.name[Number(word.slice(1))] ?? "?");
  if (word[0] === "f") return profile.functions.name[Number(word.slice(1))] ?? "?";
  return "“" + decodeURIComponent(word.slice(2)) + "”";
}

function nodesPassing(profile, state) {
  const count = profile.tree.count;
  const passing = new Uint8Array(count).fill(1);
  for (const word of wordsOf(state.keep)) {
    const found = nodesOfWord(profile, word);
    for (let node = 0; node < count; ++node) passing[node] &= found[node];
  }
  for (const word of wordsOf(state.drop)) {
    const found = nodesOfWord(profile, word);
    for (let node = 0; node < count; ++node) passing[node] &= 1 - found[node];
  }
  return passing;
}

function tasksPassing(profile, state) {
  const { pid } = profile.tasks;
  const words = wordsOf(state.tasks);
  const passing = new Uint8Array(pid.length).fill(words.length === 0 ? 1 : 0);
  for (const word of words) {
    if (word[0] !== "p") passing[Number(word)] = 1;
    else for (let task = 0; task < pid.length; ++task) if (pid[task] === Number(word.slice(1))) passing[task] = 1;
  }
  return passing;
}

// The samples that pass, by node: `self` is what the width shows, `samples` how many they are, `other` what the event
// counted that the colour compares with, and `counted` what is compared with it: of ratios always what was counted,
// because samples of two events stand for different numbers of them.
function selfWeights(profile, state) {
  const { groups, rows, tree } = profile;
  const self = new Float64Array(tree.count), samples = new Float64Array(tree.count);
  const over = profile.difference ? 1 : state.over;  // what was before
  const other = over >= 0 ? new Float64Array(tree.count) : null;
  const passing = nodesPassing(profile, state), isTask = tasksPassing(profile, state);
  const values = state.measure === "samples" && !profile.difference ? rows.samples : rows.period;
  const counted = other !== null && values !== rows.period ? new Float64Array(tree.count) : null;
  for (let group = 0; group < groups.count; ++group) {
    if (isTask[groups.task[group]] === 0) continue;
    if (state.from >= 0 && (groups.slice[group] < state.from || groups.slice[group] > state.to)) continue;
    const end = groups.begin[group + 1];
    if (groups.event[group] === state.event) {
      for (let row = groups.begin[group]; row < end; ++row) {
        const node = rows.node[row];
        if (passing[node] === 0) continue;
        self[node] += values[row];
        samples[node] += rows.samples[row];
        if (counted !== null) counted[node] += rows.period[row];
      }
    }
    if (other !== null && groups.event[group] === over) {
      for (let row = groups.begin[group]; row < end; ++row) {
        if (passing[rows.node[row]] !== 0) other[rows.node[row]] += rows.period[row];
      }
    }
  }
  return { self, samples, other, counted };
}

// By node, with what it called.
function totalsOf(tree, self) {
  const total = Float64Array.from(self);
  for (let node = tree.count - 1; node > 0; --node) total[tree.parent[node]] += total[node];
  return total;
}

// By function: self, with callees (once, however often it is on a stack), samples of both.
function functionSums(profile, weights) {
  const { tree } = profile;
  const count = profile.functions.name.length;
  const sums = { self: new Float64Array(count), all: new Float64Array(count), samples: new Float64Array(count), allSamples: new Float64Array(count) };
  const total = totalsOf(tree, weights.self), totalSamples = totalsOf(tree, weights.samples);
  for (let node = 1; node < tree.count; ++node) {
    const function_ = tree.functions[node];
    sums.self[function_] += weights.self[node];
    sums.samples[function_] += weights.samples[node];
    if (tree.isOutermost[node] === 0) continue;
    sums.all[function_] += total[node];
    sums.allSamples[function_] += totalSamples[node];
  }
  sums.whole = total[0];
  sums.wholeSamples = totalSamples[0];
  return sums;
}

// How far Wilson's 95 % interval of a share reaches from it, in percent, on its longer side: around few samples it does
// not lie evenly.
function marginOf(hits, all) {
  if (all === 0) return 0;
  const z = 1.96, share = hits / all, scale = 1 + (z * z) / all;
  const middle = (share + (z * z) / (2 * all)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all))) / scale;
  return 100 * (half + Math.abs(middle - share));
}
