// SPDX-License-Identifier: BSD-3-Clause
// What is known of time beside slices: when each sample was taken (of pages with all samples), counters, marks. Read from
// the columns of moment_columns.cpp; drawn by the timeline, listed by the view of this file.

const kMarkKinds = ["program begins", "thread begins", "ends"];

// Varints of both signs, smaller ones first.
const signedOf = (value) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

// The first of sorted times that is not before `moment`.
function firstFrom(times, moment, begin = 0, end = times.length) {
  while (begin < end) {
    const middle = (begin + end) >> 1;
    if (times[middle] < moment) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

const sliceOfTime = (profile, time) => Math.max(0, Math.min(profile.slices - 1, Math.floor(time / (profile.length_ns / profile.slices))));

// Samples by event and core, each stream in the order of its times: nanoseconds since the first slice, and the row.
async function readSamples(profile) {
  const { groups } = profile;
  const count = profile.streams.reduce((sum, stream) => sum + stream[2], 0);
  if (count === 0) return profile.samples;
  const reader = new ColumnReader(await unpackedBytes("samples"), 0);
  const firstRow = new Int32Array(profile.slices);
  for (let group = groups.count - 1; group >= 0; --group) firstRow[groups.slice[group]] = groups.begin[group];
  const time = new Float64Array(count), row = new Int32Array(count);
  const streams = [];
  let begin = 0;
  for (const [event, core, length, usual] of profile.streams) {
    streams.push({ event, core, usual, time: time.subarray(begin, begin + length), row: row.subarray(begin, begin + length) });
    begin += length;
  }
  for (const stream of streams) {
    let before = 0;
    reader.read(stream.time.length, (i, value) => { stream.time[i] = before += signedOf(value) + stream.usual; });
  }
  for (const stream of streams) reader.read(stream.row.length, (i, value) => { stream.row[i] = firstRow[sliceOfTime(profile, stream.time[i])] + value; });
  for (const stream of streams) sortStream(stream);
  return { count, streams };
}

// Rings of cores are written one after the other: a few may be out of order.
function sortStream(stream) {
  const { time, row } = stream;
  let isSorted = true;
  for (let i = 1; i < time.length && isSorted; ++i) isSorted = time[i - 1] <= time[i];
  if (isSorted) return;
  const order = Uint32Array.from(time, (_, i) => i).sort((a, b) => time[a] - time[b]);
  const times = time.slice(), rows = row.slice();
  order.forEach((from, to) => { time[to] = times[from]; row[to] = rows[from]; });
}

function readCounters(reader, profile) {
  const tracks = profile.counters.map(([name, unit, core, task, count]) => ({ name, unit, core: core - 1, task: task - 1, time: new Float64Array(count), value: new Float64Array(count) }));
  for (const track of tracks) {
    let before = 0;
    reader.read(track.time.length, (i, value) => { track.time[i] = before += signedOf(value); });
  }
  for (const track of tracks) reader.read(track.value.length, (i, value) => { track.value[i] = value; });
  return tracks;
}

function readMarks(reader, count, profile) {
  const marks = Array.from({ length: count }, () => ({}));
  let before = 0;
  reader.read(count, (i, value) => { marks[i].time = before += signedOf(value); });
  for (const name of ["pid", "tid", "kind", "text"]) reader.read(count, (i, value) => { marks[i][name] = value; });
  for (const mark of marks) mark.text = harmlessName(profile.mark_texts[mark.text]);
  return marks;
}

const markText = (mark) => `${kMarkKinds[mark.kind]}${mark.text === "" ? "" : ": " + mark.text}`;
const trackName = (track, tasks) => track.name + (track.core >= 0 ? `, core ${track.core}` : track.task >= 0 ? `, ${harmlessName(tasks.name[track.task])}` : "");

// What tracks counted between two moments. What a point tells was counted since the one before.
function countedBetween(track, from, to) {
  const { time, value } = track;
  let sum = 0;
  for (let i = firstFrom(time, from); i < time.length; ++i) {
    const begin = i === 0 ? time[0] : time[i - 1];
    if (begin >= to) break;
    const length = time[i] - begin;
    sum += length > 0 ? (value[i] * (Math.min(time[i], to) - Math.max(begin, from))) / length : time[i] < to ? value[i] : 0;
  }
  return sum;
}

// The same for equal parts of a stretch of time, without the first points: nobody knows since when these counted.
function countedInParts(tracks, from, to, parts) {
  const sums = new Float64Array(parts), wide = (to - from) / parts;
  for (const { time, value } of tracks) {
    for (let i = Math.max(1, firstFrom(time, from)); i < time.length; ++i) {
      const begin = time[i - 1], end = time[i];
      if (begin >= to) break;
      const first = Math.max(0, Math.floor((begin - from) / wide)), last = Math.min(parts - 1, Math.floor((end - from) / wide));
      if (first === last || end <= begin) {
        sums[Math.min(first, parts - 1)] += value[i];
        continue;
      }
      for (let part = first; part <= last; ++part) {
        const inside = Math.min(end, from + (part + 1) * wide) - Math.max(begin, from + part * wide);
        sums[part] += (value[i] * Math.max(inside, 0)) / (end - begin);
      }
    }
  }
  return sums;
}

// Counters and marks of the chosen stretch of time, as tables.
class MomentsView {
  constructor(page) {
    this.page = page;
    const seconds = (time) => (time / 1e9).toFixed(9) + " s";
    this.counters = new Table("Counters", [
      { title: "Counter", text: (row) => row.name, value: (row) => row.name, isName: true },
      { title: "Counted", isNumber: true, sorts: true, text: (row) => wholeText(row.sum), value: (row) => row.sum },
      { title: "Per second", isNumber: true, text: (row) => shortNumber(row.rate), value: (row) => row.rate },
      { title: "Points", isNumber: true, text: (row) => wholeText(row.points), value: (row) => row.points },
    ]);
    this.marks = new Table("Marks", [
      { title: "Time", isNumber: true, text: (row) => seconds(row.time), value: (row) => -row.time, sorts: true },
      { title: "What", text: (row) => kMarkKinds[row.kind], value: (row) => row.kind },
      { title: "Process", isNumber: true, text: (row) => String(row.pid), value: (row) => row.pid },
      { title: "Thread", isNumber: true, text: (row) => String(row.tid), value: (row) => row.tid },
      { title: "Name", text: (row) => row.text, value: (row) => row.text, isName: true },
    ], { opened: (row) => page.timeline.goTo(row) });
    const { counters, marks } = page.profile;
    this.root = element("section", { class: "view moments", "aria-label": "Counters and marks" }, ...(counters.length > 0 ? [this.counters.root] : []), ...(marks.length > 0 ? [this.marks.root] : []));
  }
  update(state) {
    const { counters, marks, tasks, slices } = this.page.profile;
    const slice = (this.page.timeline.seconds() * 1e9) / slices;
    const from = state.from < 0 ? 0 : state.from * slice, to = state.from < 0 ? this.page.timeline.seconds() * 1e9 : (state.to + 1) * slice;
    this.counters.setRows(counters.map((track) => {
      const sum = countedBetween(track, from, to);
      return { name: trackName(track, tasks), sum, rate: sum / ((to - from) / 1e9), points: firstFrom(track.time, to) - firstFrom(track.time, from) };
    }));
    this.marks.setRows(marks.filter((mark) => state.from < 0 || (mark.time >= from && mark.time < to)));
  }
}
