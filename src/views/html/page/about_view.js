// SPDX-License-Identifier: BSD-3-Clause
// What the recording is and lacks: the part of the file that is readable without scripts.

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

// What SPE told of memory: a part of the file, too, with a view of its own.
class MemoryView {
  constructor() {
    this.root = element("section", { class: "view about", "aria-label": "Memory", tabindex: "0" }, document.getElementById("memory"));
  }
  update() {}
}
