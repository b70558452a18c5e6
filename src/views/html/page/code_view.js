// SPDX-License-Identifier: BSD-3-Clause
// Hot functions line by line: source as far as it was found when the file was written, and instructions, each with what
// hit it. As recorded: filters do not change it, and the view says so.

class CodeView {
  constructor(page) {
    this.page = page;
    this.choice = element("select", { id: "code-of", onchange: () => page.open("code", Number(this.choice.value)) });
    this.content = element("div", { class: "code", tabindex: "0", role: "region", "aria-label": "Lines and instructions" });
    this.root = element("section", { class: "view code-view", "aria-label": "Code" },
      element("div", { class: "view-title" }, element("label", { for: "code-of" }, "Function "), this.choice,
        element("button", { type: "button", onclick: () => page.open("sandwich", Number(this.choice.value)) }, "Callers and callees")),
      this.content);
  }
  update(state) {
    const { page } = this;
    const codes = page.profile.code.filter((code) => code.event === state.event);
    if (codes.length === 0) {
      this.choice.replaceChildren(element("option", { value: "-1" }, "(none)"));
      this.content.replaceChildren(element("p", {}, this.whyNone()));
      return;
    }
    const code = codes.find((one) => one.function === state.chosen) ?? codes[0];
    this.choice.replaceChildren(...codes.map((one) => {
      const option = element("option", { value: one.function }, page.names[one.function]);
      option.selected = one === code;
      return option;
    }));
    const parts = [];
    if (state.chosen >= 0 && code.function !== state.chosen) parts.push(element("p", {}, `No code of ${page.names[state.chosen]}: it is not among the hottest functions, or its file was not found.`));
    parts.push(element("p", { class: "quiet" }, this.shares(code)));
    if (code.reason !== "") parts.push(element("p", {}, harmlessName(code.reason)));
    if (code.lines.length > 0) parts.push(this.lines(code));
    if (code.instructions.length > 0) parts.push(this.instructions(code));
    this.content.replaceChildren(...parts);
  }
  whyNone() {
    const how = "`wperf report FILE.data --disassemble --html out.html` embeds source and instructions of hot functions; --annotate embeds only the source.";
    return this.page.profile.file !== "" ? `This file contains no code. ${how}` : `This page contains no code, and its recording was not kept. Keep it with \`-o FILE.data\`; then ${how}`;
  }
  // A caller of all that is hot may not have been hit itself once.
  shares(code) {
    const whole = this.page.profile.events[code.event].period, share = (value) => percentText(value, whole) + " %";
    const called = code.all > code.period ? `, ${share(code.all)} including callees` : "";
    return `${wholeText(code.samples)} samples itself (${share(code.period)})${called}; these shares refer to the whole recording and ignore filters.`;
  }
  row(code, hits, cells, gap) {
    const share = code.all > 0 ? hits.period / code.all : 0;
    const made = element("tr", { class: (share >= 0.1 ? "hot" : share >= 0.02 ? "warm" : "") + (gap ? " gap" : "") },
      ...[hits.all, hits.period].map((value) => element("td", { class: "share" }, value > 0 ? percentText(value, code.all) : "")), element("td", { class: "count" }, hits.samples > 0 ? wholeText(hits.samples) : ""));
    for (const [text, name] of cells) made.append(element("td", { class: name }, text));
    return made;
  }
  table(caption, heads, rows) {
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
    return element("table", { class: "listing" }, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...rows));
  }
  lines(code) {
    const sorted = code.lines.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
    const file = (path) => path.split(/[\\/]/).pop();
    const rows = sorted.map((line, i) => this.row(code, line, [[line.line > 0 ? `${harmlessName(file(line.file))}:${line.line}` : "no line", "place"], [line.source || "(not found here)", line.source ? "source" : "source quiet"]],
      i > 0 && line.line > sorted[i - 1].line + 1));
    return this.table("Source lines with samples", ["With callees %", "Self %", "Samples", "Line", "Source"], rows);
  }
  instructions(code) {
    const rows = code.instructions.map((one) => this.row(code, one, [[one.address, "place"], [one.text, "source"], [harmlessName(one.line), "place"]], one.gap));
    return this.table("Instructions", ["With callees %", "Self %", "Samples", "Address", "Instruction", "Line"], rows);
  }
}
