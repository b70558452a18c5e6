// SPDX-License-Identifier: BSD-3-Clause
// Two sides of runs: only pages of `diff` carry this. The profile's first event is the sum of both sides, its second the
// side before; a side's whole is kShare of either. Colours and words say which way a frame went.

const kShare = 1e12;

function changeOf(shown, node) {
  const before = shown.other.total[node] / kShare, after = shown.weight.total[node] / kShare - before;
  const most = Math.max(before, after);
  return { before, after, step: most > 0 ? (after - before) / most : 0 };
}

// Before the name of a frame: what the colour says.
function changeMark(shown, node) {
  const { step } = changeOf(shown, node);
  return step > 0.02 ? "▲ " : step < -0.02 ? "▼ " : "";
}

const changeColour = (step) => toned(step > 0 ? 28 : 212, Math.sqrt(Math.abs(step)));

function changeLegend() {
  return [[changeColour(1), "▲ grew, or is new"], [changeColour(0), "the same"], [changeColour(-1), "▼ shrank, or is gone"]];
}

function changeLines(shown, node) {
  const { before, after } = changeOf(shown, node);
  const points = 100 * (after - before);
  const share = (value) => (100 * value).toFixed(2) + " %";
  const self = shown.weight.self[node] - shown.other.self[node];
  return [before === 0 ? `is new: ${share(after)}` : after === 0 ? `is gone: ${share(before)} before` : `${points > 0 ? "grew" : points < 0 ? "shrank" : "is the same"}: ${share(before)} before, ${share(after)} after (${points < 0 ? "" : "+"}${points.toFixed(2)} points)`,
    `itself: ${share(shown.other.self[node] / kShare)} before, ${share(self / kShare)} after`, "What may be chance is in here, too: “Changes” says what is sure."];
}

class ChangesView {
  constructor(page) {
    this.page = page;
    const text = (title, key, by = key) => ({ title, value: (row) => row[by], text: (row) => row[key] });
    const { rows } = page.profile.difference;
    const columns = [{ ...text("Change", "change", "size"), sorts: true }, text("95 % interval", "interval"), text("Before → after", "cost", "after_value"), text("Samples", "samples"), text("Sure", "sure", "chance_value")];
    if (new Set(rows.map((row) => row.event)).size > 1) columns.push(text("Event", "event"));
    columns.push({ title: "Name", isName: true, value: (row) => row.shown, text: (row) => row.shown });
    this.table = new Table("Changes", columns, { opened: (row) => this.keep(row), keep: () => {} });
    this.made = rows.map((row) => ({ ...row, shown: this.nameOf(row), cost: `${row.before} → ${row.after}` }));
    this.root = element("section", { class: "view", "aria-label": "Changes" }, this.table.root);
  }
  nameOf({ kind, name, module, note }) {
    const what = kind === "module" ? "module " + harmlessName(name) : `${kind === "line" ? "line " : ""}${harmlessName(name)} (${harmlessName(module)})`;
    return note === "" ? what : `${what}: ${harmlessName(note)}`;
  }
  update(state) {
    const matcher = state.search === "" ? null : matcherOf(state.search);
    this.table.setRows(this.made.filter((row) => matcher === null || matcher.test(row.shown)));
  }
  keep(row) {
    const { name } = this.page.profile.functions;
    const function_ = name.indexOf(row.name);
    if (row.kind === "function" && function_ >= 0) this.page.store.change({ keep: withWord(this.page.store.state.keep, "f" + function_), tab: "flame", zoom: "" });
  }
}
