// SPDX-License-Identifier: BSD-3-Clause
// Two sides of runs: only pages of `diff` carry this. The profile's first event is the sum of both sides, its second the
// side before; what the side that cost more cost is kWhole of either. Colours and words say how costs changed.

const kWhole = 1e12;

function changeOf(shown, node) {
  const before = shown.other.total[node] / kWhole, after = shown.weight.total[node] / kWhole - before;
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
  return [[changeColour(1), "▲ costs more, or is new"], [changeColour(0), "the same"], [changeColour(-1), "▼ costs less, or is gone"]];
}

// A part of kWhole, as it is measured.
function partText({ whole, unit }, part) {
  if (unit === "share") return (100 * part).toFixed(2) + " %";
  return unit === "nanoseconds" ? secondsText(part * whole / 1e9) : shortNumber(part * whole);
}

function changeLines(difference, shown, node) {
  const { before, after } = changeOf(shown, node);
  const text = (part) => partText(difference, part);
  const self = shown.weight.self[node] - shown.other.self[node];
  const percent = 100 * Math.abs(after / before - 1);
  const change = before === 0 ? `is new: ${text(after)}` : after === 0 ? `is gone: ${text(before)} before`
    : `${after > before ? "grew" : after < before ? "shrank" : "is the same"}: ${text(before)} before, ${text(after)} after` + (percent === 0 ? "" : percent >= 900 ? ` (${(after / before).toPrecision(3)} times)` : ` (${after > before ? "+" : "−"}${percent.toFixed(1)} %)`);
  return [change, `itself: ${text(shown.other.self[node] / kWhole)} before, ${text(self / kWhole)} after`, "This includes changes that may be chance; the view “Changes” lists the sure ones."];
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
