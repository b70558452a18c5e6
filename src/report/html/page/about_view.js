// SPDX-License-Identifier: BSD-3-Clause
// What the recording is and lacks: the part of the file that is readable without scripts, and what SPE says of memory.

class AboutView {
  constructor() {
    const whole = document.getElementById("plain");  // alone it is the main part of the page, here one view of it
    const part = element("div", {}, ...whole.childNodes);
    whole.remove();
    part.id = "plain";
    this.root = element("section", { class: "view about", "aria-label": "About", tabindex: "0" }, part);
  }
  update() {}
}

// Tables of any list of objects in the document of SPE.
class MemoryView {
  constructor(page) {
    this.page = page;
    this.root = element("section", { class: "view about", "aria-label": "Memory", tabindex: "0" });
    this.isMade = false;
  }
  update() {
    if (this.isMade) return;
    this.isMade = true;
    const walk = (value, title) => {
      if (Array.isArray(value)) {
        if (value.length > 0 && typeof value[0] === "object") this.root.append(this.tableOf(title, value));
        return;
      }
      if (value === null || typeof value !== "object") return;
      for (const [key, inner] of Object.entries(value)) walk(inner, title === "" ? key : `${title}: ${key}`);
    };
    walk(this.page.profile.spe.sampling?.memory, "");
    if (this.root.childElementCount === 0) this.root.append(element("p", {}, "SPE told nothing of memory."));
  }
  tableOf(title, rows) {
    const keys = Object.keys(rows[0]).filter((key) => rows[0][key] === null || typeof rows[0][key] !== "object");
    const text = (value) => (value === undefined ? "" : typeof value === "number" && !Number.isInteger(value) ? value.toFixed(2) : harmlessName(String(value)));
    const head = element("tr", {}, ...keys.map((key) => element("th", { scope: "col" }, key.replaceAll("_", " "))));
    const body = rows.slice(0, 200).map((row) => element("tr", {}, ...keys.map((key) => element("td", {}, text(row[key])))));
    return element("table", {}, element("caption", {}, title.replaceAll("_", " ")), element("thead", {}, head), element("tbody", {}, ...body));
  }
}
