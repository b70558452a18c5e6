// SPDX-License-Identifier: BSD-3-Clause
// The flat tables: functions with the interval of each share, modules with why they have no names, threads.

const shareColumn = (title, key, sorts, hint) => ({
  title, hint, sorts, isNumber: true,
  value: (row) => row[key],
  text: (row) => percentText(row[key], row.whole),
  bar: (row) => (row.whole > 0 ? (100 * row[key]) / row.whole : 0),
});
const countColumn = (title, key) => ({ title, isNumber: true, value: (row) => row[key], text: (row) => wholeText(row[key]) });
const idColumn = (title, key) => ({ ...countColumn(title, key), text: (row) => String(row[key]) });
const weightColumn = (title, key) => ({ title, isNumber: true, value: (row) => row[key], text: (row) => (isClock(row.event) ? secondsText(row[key] / 1e9) : wholeText(row[key])) });
const samplesColumn = { ...countColumn("Samples", "samples"), text: (row) => (isAllTime(row.event) ? "–" : wholeText(row.samples)) };
const marginColumn = {
  title: "±", isNumber: true, hint: "With 95 % probability, the share differs from the shown one by at most this many percent",
  value: (row) => marginOf(row.samples, row.wholeSamples),
  text: (row) => (isAllTime(row.event) ? "–" : marginOf(row.samples, row.wholeSamples).toFixed(2)),
};
const nameColumn = (title, extra = {}) => ({ title, isName: true, value: (row) => row.name, text: (row) => row.name, ...extra });
const textColumn = (title, key) => ({ title, value: (row) => row[key], text: (row) => row[key] });

const kMostNameless = 0.05;  // of all: fewer do not matter

class FunctionTable {
  constructor(page) {
    this.page = page;
    this.table = new Table("Hot functions", [
      shareColumn("Self %", "self", true), marginColumn, samplesColumn, weightColumn("Counted", "self"),
      shareColumn("With callees %", "all"), textColumn("Module", "module"), nameColumn("Function"),
    ], page.functionActions());
    this.nameless = element("p", { class: "view-note" });
    this.root = element("section", { class: "view", "aria-label": "Functions" }, this.nameless, this.table.root);
  }
  // Why there are addresses where names should be: of the module that has most of them.
  tellNameless() {
    const { profile, sums } = this.page, { module, kind } = profile.functions, { name, reason } = profile.modules;
    const shares = new Float64Array(name.length);
    let all = 0, most = 0;
    for (let i = 0; i < sums.self.length; ++i) {
      const at = module[i];
      if (kind[i] !== 3 && (kind[i] !== 1 || reason[at] === "")) continue;
      all += sums.self[i];
      if ((shares[at] += sums.self[i]) > shares[most]) most = at;
    }
    this.nameless.hidden = all === 0 || all < kMostNameless * sums.whole;
    if (this.nameless.hidden) return;
    const why = reason[most] !== "" ? `: ${harmlessName(reason[most])}` : "";
    this.nameless.replaceChildren(`Function names are missing, mostly in ${harmlessName(name[most])} (${percentText(shares[most], sums.whole)} %)${why}. `, element("button", { type: "button", onclick: () => this.page.open("about") }, "About: what helps"));
  }
  update(state) {
    this.tellNameless();
    const { profile, sums, names } = this.page;
    const matches = state.search === "" ? null : this.page.functionsMatching(state.search);
    const rows = [];
    for (let i = 0; i < names.length; ++i) {
      if (sums.allSamples[i] === 0 || (matches !== null && matches[i] === 0)) continue;
      rows.push({ id: i, word: "f" + i, name: names[i], module: harmlessName(profile.modules.name[profile.functions.module[i]]),
        self: sums.self[i], all: sums.all[i], samples: sums.samples[i], ...this.page.basis() });
    }
    this.table.setRows(rows);
  }
}

class ModuleTable {
  constructor(page) {
    this.page = page;
    this.table = new Table("Modules", [
      shareColumn("Self %", "self", true), marginColumn, samplesColumn, textColumn("Names of functions", "state"),
      nameColumn("Module"), textColumn("Path", "path"),
    ], { opened: (row) => page.keep(row.word), keep: (word) => page.keep(word), drop: (word) => page.drop(word),
      menu: (event, row) => page.showFilterMenu(event, row.word) });
    this.root = element("section", { class: "view", "aria-label": "Modules" }, this.table.root);
  }
  update() {
    const { profile, sums } = this.page;
    const { name, path, reason } = profile.modules;
    const rows = name.map((text, i) => ({ word: "m" + i, name: harmlessName(text), path: harmlessName(path[i]), self: 0, samples: 0, functions: 0, unnamed: 0, ...this.page.basis() }));
    for (let i = 0; i < sums.self.length; ++i) {
      const row = rows[profile.functions.module[i]];
      row.self += sums.self[i];
      row.samples += sums.samples[i];
      if (sums.samples[i] === 0) continue;
      ++row.functions;
      row.unnamed += profile.functions.kind[i] === 3 ? 1 : 0;
    }
    rows.forEach((row, i) => { row.state = reason[i] !== "" ? harmlessName(reason[i]) : row.unnamed === 0 ? "found" : `of ${row.functions - row.unnamed} of ${row.functions} functions`; });
    this.table.setRows(rows.filter((row) => row.samples > 0));
  }
}

class ThreadTable {
  constructor(page) {
    this.page = page;
    const choose = (row) => page.store.change({ tasks: row.word });
    this.table = new Table("Threads", [
      shareColumn("Self %", "self", true), marginColumn, samplesColumn, idColumn("Process", "pid"), idColumn("Thread", "tid"),
      nameColumn("Name"),
    ], { opened: choose, menu: (event, row) => page.showItems(event, [["Show this thread only", () => choose(row)], ["Show its process only", () => choose({ word: "p" + row.pid })]]) });
    this.root = element("section", { class: "view", "aria-label": "Threads" }, this.table.root);
  }
  update(state) {
    const { profile } = this.page;
    const { groups, rows, tasks } = profile;
    const passing = nodesPassing(profile, state), isTask = tasksPassing(profile, state);
    const values = state.measure === "samples" ? rows.samples : rows.period;
    const made = tasks.name.map((name, i) => ({ word: String(i), name: harmlessName(name), pid: tasks.pid[i], tid: tasks.tid[i], self: 0, samples: 0 }));
    let whole = 0, wholeSamples = 0;
    for (let group = 0; group < groups.count; ++group) {
      const slice = groups.slice[group];
      if (groups.event[group] !== state.event || isTask[groups.task[group]] === 0 || (state.from >= 0 && (slice < state.from || slice > state.to))) continue;
      const one = made[groups.task[group]];
      for (let row = groups.begin[group]; row < groups.begin[group + 1]; ++row) {
        if (passing[rows.node[row]] === 0) continue;
        one.self += values[row];
        one.samples += rows.samples[row];
        whole += values[row];
        wholeSamples += rows.samples[row];
      }
    }
    const matches = this.page.threadsFound(state) > 0 ? this.page.tasksMatching(state.search) : null;
    this.table.setRows(made.filter((row) => row.samples > 0 && (matches === null || matches[row.word] === 1)).map((row) => ({ ...row, ...this.page.basis(), whole, wholeSamples })));
  }
}
