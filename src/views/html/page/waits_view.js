// SPDX-License-Identifier: BSD-3-Clause
// The tables of `waits` for the chosen stretch of time: where threads waited, and for whom. Only pages of waits have it.
// Of a wait that a stretch cuts, what lies within it counts.

const kWaitColumns = ["begin", "length", "latency", "task", "node", "place", "ender", "enderPlace", "lock"];

function readWaits(reader, count, waits) {
  for (const name of kWaitColumns) waits[name] = new Float64Array(count);
  let before = 0;
  for (const name of kWaitColumns) reader.read(count, (i, value) => { waits[name][i] = name === "begin" ? (before += signedOf(value)) : value; });
}

// The smallest that so many percent are not longer than.
const atShare = (sorted, percent) => sorted[Math.floor((sorted.length * percent + 99) / 100) - 1];

// Sums by key; what is new is made.
function sumOf(sums, key, make) {
  if (!sums.has(key)) sums.set(key, make());
  return sums.get(key);
}

class WaitsView {
  constructor(page) {
    this.page = page;
    const time = (title, value, sorts) => ({ title, isNumber: true, sorts, text: (row) => secondsText(value(row) / 1e9), value });
    const count = { title: "Count", isNumber: true, text: (row) => wholeText(row.count), value: (row) => row.count };
    const words = (title, value) => ({ title, text: value, value, isName: title === "In", isBrief: title === "For" });
    // Of a symbol's version there is no room.
    const by = words("By", (row) => (row.caller && row.caller !== row.function ? row.function.replace(/@@?GLIBC_[\d.]+$/, "") : "-"));
    // The program's own function first, and what of a library it waits by.
    const shown = (caller, function_) => caller || function_;
    this.places = new Table("Where they waited", [
      time("Total", (row) => row.total, true), count, time("Mean", (row) => row.total / row.count), time("p50", (row) => row.p50), time("p99", (row) => row.p99), time("Max", (row) => row.max),
      words("For", (row) => row.wait), words("In", (row) => shown(row.caller, row.function)), by,
      words("Ended by", (row) => row.ender), words("Module", (row) => shown(row.callerModule, row.module))]);
    this.people = new Table("Who waited for whom", [
      time("Waited", (row) => row.total, true), count, time("To run", (row) => row.latency / row.count), words("Who waited", (row) => row.who), words("In", (row) => shown(row.caller, row.function)),
      words("Woken by", (row) => row.ender), words("Waker was in", (row) => shown(row.enderCaller, row.enderFunction))]);
    this.locks = new Table("Which locks they waited for", [
      time("Total", (row) => row.total, true), count, time("Mean", (row) => row.total / row.count), time("Max", (row) => row.max), words("Lock", (row) => row.lock),
      words("In", (row) => shown(row.caller, row.function)), by, words("Ended by", (row) => row.ender)]);
    const { locks } = page.profile.waits;
    this.root = element("section", { class: "view moments waits", "aria-label": "Waits" },
      element("h2", {}, "Where they waited"), this.places.root,
      ...(locks.length > 0 ? [element("h2", {}, "Which locks they waited for"), this.locks.root] : []), element("h2", {}, "Who waited for whom"), this.people.root);
  }
  update(state) {
    const { profile } = this.page, { waits, tasks } = profile, slice = profile.length_ns / profile.slices;
    const from = state.from < 0 ? -Infinity : state.from * slice, to = state.from < 0 ? Infinity : (state.to + 1) * slice;
    const passing = nodesPassing(profile, state), isTask = tasksPassing(profile, state);
    const places = new Map(), people = new Map(), locks = new Map();
    for (let i = 0; i < waits.begin.length; ++i) {
      const begin = waits.begin[i], end = begin + waits.length[i], task = waits.task[i];
      if (begin >= to || end < from || (end === from && begin < end) || passing[waits.node[i]] === 0 || isTask[task] === 0) continue;
      const length = Math.min(end, to) - Math.max(begin, from), ender = waits.ender[i] - 1;
      const [function_, module, wait, group, caller, callerModule] = waits.places[waits.place[i]];
      const place = sumOf(places, waits.place[i], () => ({ function: harmlessName(function_ || "[unknown]"), module, wait, caller: harmlessName(caller), callerModule, lengths: [], enders: new Map() }));
      const lock = waits.lock[i] - 1;
      const sums = lock < 0 ? [place] : [place, sumOf(locks, [lock, group].join(), () => ({ ...place, lock: harmlessName(waits.locks[lock]), lengths: [], enders: new Map() }))];
      for (const one of sums) {
        one.lengths.push(length);
        if (ender >= 0) one.enders.set(ender, (one.enders.get(ender) ?? 0) + length);
      }
      if (ender < 0 || waits.people[ender] === "not ended") continue;
      const [enderFunction, , , enderGroup, enderCaller] = waits.places[waits.enderPlace[i]];
      const pair = sumOf(people, [task, ender, group, enderGroup].join(), () => ({ count: 0, total: 0, latency: 0, who: `${harmlessName(tasks.name[task])} (${tasks.tid[task]})`,
        ender: harmlessName(waits.people[ender]), function: harmlessName(function_ || "-"), enderFunction: harmlessName(enderFunction || "-"), caller: harmlessName(caller), enderCaller: harmlessName(enderCaller) }));
      ++pair.count;
      pair.total += length;
      pair.latency += waits.latency[i];
    }
    this.places.setRows([...places.values()].map((one) => this.placeRow(one)));
    this.locks.setRows([...locks.values()].map((one) => this.placeRow(one)));
    this.people.setRows([...people.values()]);
  }
  // Of those who ended as much the first by number, as in the text of wperf.
  placeRow({ lengths, enders, ...row }) {
    lengths.sort((a, b) => a - b);
    let most = -1;
    for (const [ender, total] of enders) if (most < 0 || total > enders.get(most) || (total === enders.get(most) && ender < most)) most = ender;
    return { ...row, count: lengths.length, total: lengths.reduce((a, b) => a + b, 0), p50: atShare(lengths, 50), p99: atShare(lengths, 99), max: lengths.at(-1),
      ender: most < 0 ? "-" : harmlessName(this.page.profile.waits.people[most]) };
  }
}
