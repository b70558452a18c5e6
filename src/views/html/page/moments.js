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
  for (const track of tracks) reader.read(track.value.length, (i, value) => { track.value[i] = value - 1; });  // -1: nothing was counted
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
// Whose it is comes first: names of events are long.
const trackName = (track, tasks) => (track.core >= 0 ? `core ${track.core}: ` : track.task >= 0 ? `${harmlessName(tasks.name[track.task])}: ` : "") + track.name;

// What a track counted between two moments, and in how much of this time: what a point tells was counted since the one
// before, and where that is -1, nothing was. Of the first point nobody knows since when: it is told apart.
function countedBetween({ time, value }, from, to) {
  const told = { sum: 0, known: 0, first: time[0] >= from && time[0] < to ? Math.max(value[0], 0) : 0 };
  for (let i = Math.max(1, firstFrom(time, from)); i < time.length && time[i - 1] < to; ++i) {
    if (value[i] < 0) continue;
    const begin = time[i - 1], length = time[i] - begin;
    const inside = Math.min(time[i], to) - Math.max(begin, from);
    if (length > 0) told.known += inside;
    if (length > 0) told.sum += (value[i] * inside) / length;
    else if (time[i] < to) told.sum += value[i];
  }
  return told;
}

// How much of it all tracks counted in a second; NaN: nothing was counted then.
function rateBetween(tracks, from, to) {
  let rate = NaN;
  for (const track of tracks) {
    const { sum, known } = countedBetween(track, from, to);
    if (known > 0 || sum > 0) rate = (Number.isNaN(rate) ? 0 : rate) + (1e9 * sum) / (known > 0 ? known : to - from);
  }
  return rate;
}

const rateText = (rate) => (Number.isNaN(rate) ? "not counted" : shortNumber(rate));

// Counters and marks of the chosen stretch of time, as tables.
class MomentsView {
  constructor(page) {
    this.page = page;
    const seconds = (time) => (time / 1e9).toFixed(9) + " s";
    this.counters = new Table("Counters", [
      { title: "Counter", text: (row) => row.name, value: (row) => row.name, isName: true },
      { title: "Counted", isNumber: true, sorts: true, text: (row) => wholeText(row.sum), value: (row) => row.sum },
      { title: "Per second", isNumber: true, text: (row) => rateText(row.rate), value: (row) => row.rate },
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
    const from = state.from < 0 ? 0 : state.from * slice, to = state.from < 0 ? Infinity : (state.to + 1) * slice;
    this.counters.setRows(counters.map((track) => {
      const { sum, known, first } = countedBetween(track, from, to);
      const points = track.value.subarray(firstFrom(track.time, from), firstFrom(track.time, to)).reduce((count, value) => count + (value < 0 ? 0 : 1), 0);
      return { name: trackName(track, tasks), sum: sum + first, rate: known > 0 ? (1e9 * sum) / known : NaN, points };
    }));
    this.marks.setRows(marks.filter((mark) => state.from < 0 || (mark.time >= from && mark.time < to)));
  }
}
