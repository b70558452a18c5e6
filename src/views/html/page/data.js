// SPDX-License-Identifier: BSD-3-Clause
// The profile as the file holds it: packed columns → typed arrays. Written by profile_columns.cpp.

async function unpackedBytes(kind) {
  const parts = [];
  for (const element of document.querySelectorAll("script." + kind)) {
    const text = element.textContent;
    if (Uint8Array.fromBase64) {
      parts.push(Uint8Array.fromBase64(text));
    } else {
      const binary = atob(text);
      const bytes = new Uint8Array(binary.length);
      for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
      parts.push(bytes);
    }
    element.remove();  // its text is no longer needed
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads one column of varints after the other.
class ColumnReader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }
  // Values below 2^53; `take` gets index and value.
  read(count, take) {
    const bytes = this.bytes;
    let at = this.at;
    for (let i = 0; i < count; ++i) {
      let byte = bytes[at++];
      let value = byte & 0x7f;
      if (byte >= 0x80) {
        let scale = 128;
        do {
          byte = bytes[at++];
          value += (byte & 0x7f) * scale;
          scale *= 128;
        } while (byte >= 0x80);
      }
      take(i, value);
    }
    this.at = at;
  }
  numbers(count) {
    const out = new Int32Array(count);
    this.read(count, (i, value) => { out[i] = value; });
    return out;
  }
}

function readTree(reader, count, functionCount) {
  const up = reader.numbers(count);
  const functions = new Int32Array(count + 1);
  reader.read(count, (i, value) => { functions[i + 1] = value; });
  functions[0] = -1;
  const parent = new Int32Array(count + 1), depth = new Int32Array(count + 1);
  parent[0] = -1;
  // A function that is already on the way from the root is not counted a second time with what it called.
  const isOutermost = new Uint8Array(count + 1);
  const onPath = new Int32Array(functionCount);
  const path = [0];
  for (let node = 1; node <= count; ++node) {
    const level = depth[node - 1] + 1 - up[node - 1];
    while (path.length > level) {
      const left = path.pop();
      if (left !== 0) --onPath[functions[left]];
    }
    parent[node] = path[level - 1];
    depth[node] = level;
    path.push(node);
    isOutermost[node] = onPath[functions[node]]++ === 0 ? 1 : 0;
  }
  return { count: count + 1, parent, depth, functions, isOutermost };
}

function readRows(reader, sizes, document_) {
  const [slices, tasks, events, cores, groupSizes, nodes, counts, periods] = sizes;
  const groups = { count: slices, slice: new Int32Array(slices), task: null, event: null, core: null, begin: new Int32Array(slices + 1) };
  let slice = 0;
  reader.read(slices, (i, value) => { groups.slice[i] = slice += value; });
  groups.task = reader.numbers(tasks);
  groups.event = reader.numbers(events);
  groups.core = reader.numbers(cores);
  reader.read(groupSizes, (i, value) => { groups.begin[i + 1] = groups.begin[i] + value; });
  const rows = { count: nodes, node: new Int32Array(nodes), samples: new Float64Array(nodes), period: new Float64Array(nodes) };
  let group = 0, node = 0;
  reader.read(nodes, (i, value) => {
    while (i >= groups.begin[group + 1]) ++group;
    node = i === groups.begin[group] ? value : node + value;
    rows.node[i] = node;
  });
  reader.read(counts, (i, value) => { rows.samples[i] = value; });
  group = 0;
  reader.read(periods, (i, value) => {
    while (i >= groups.begin[group + 1]) ++group;
    const signed = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    rows.period[i] = rows.samples[i] * document_.events[groups.event[group]].interval + signed;
  });
  return { groups, rows };
}

// What threads did when, by task: nanoseconds since the recording began; kind 0 running, 1 ready, 2 + class of wait; behind the classes: unknown.
function readStates(reader, count) {
  const states = new Map();
  if (count === 0) return states;
  const tasks = reader.numbers(count);
  const gaps = new Float64Array(count), lengths = new Float64Array(count);
  reader.read(count, (i, value) => { gaps[i] = value; });
  reader.read(count, (i, value) => { lengths[i] = value; });
  const kinds = reader.numbers(count), wakers = reader.numbers(count);
  for (let i = 0, task = 0, first = 0; i <= count; ++i) {
    if (i < count && (i === 0 || tasks[i] === 0)) {
      if (i === 0) task = tasks[0];
      continue;
    }
    const one = { begin: new Float64Array(i - first), end: new Float64Array(i - first), kind: kinds.subarray(first, i), waker: wakers.subarray(first, i) };
    for (let k = first, time = 0; k < i; ++k) {
      one.begin[k - first] = time += gaps[k];
      one.end[k - first] = time += lengths[k];
    }
    states.set(task, one);
    if (i < count) task += tasks[i];
    first = i;
  }
  return states;
}

async function readProfile() {
  const bytes = await unpackedBytes("profile");
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const profile = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const reader = new ColumnReader(bytes, 4 + length);
  const sizes = profile.columns.map((column) => column[1]);
  profile.tree = readTree(reader, sizes[0], profile.functions.name.length);
  const { groups, rows } = readRows(reader, sizes.slice(2, 10), profile);
  profile.states = readStates(reader, sizes[10]);
  profile.groups = groups;
  profile.rows = rows;
  profile.samples = { count: 0, streams: [] };
  profile.counters = readCounters(reader, profile);
  profile.marks = readMarks(reader, sizes[17], profile);
  if (profile.waits) readWaits(reader, sizes[22], profile.waits);
  return profile;
}
