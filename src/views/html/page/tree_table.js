// SPDX-License-Identifier: BSD-3-Clause
// Call trees as tables that open row by row: the whole tree, and around one function its callers and its callees.

function treeRows(page, shown, parent) {
  const { profile, names } = page;
  const rows = [];
  for (let i = shown.begins[parent]; i < shown.begins[parent + 1]; ++i) {
    const node = shown.children[i];
    const function_ = shown.functions[node];
    rows.push({ node, id: function_, word: "f" + function_, name: names[function_], module: harmlessName(profile.modules.name[profile.functions.module[function_]]),
      total: shown.weight.total[node], self: shown.weight.self[node], samples: shown.samples.total[node], ...page.basis(),
      hasChildren: shown.begins[node] < shown.begins[node + 1] });
  }
  return rows;
}

// Among callers nothing happens in themselves: `own` says whether there is such a column.
function treeTable(page, label, title, own, shownOf) {
  const columns = [shareColumn("Total %", "total"), marginColumn, ...(own ? [shareColumn("Self %", "self")] : []), samplesColumn, nameColumn(title), textColumn("Module", "module")];
  return new Table(label, columns.map((column) => ({ ...column, value: undefined })), { ...page.functionActions(), children: (row) => treeRows(page, shownOf(), row.node) });
}

// Opens what most of the time goes through, as far as it is one way.
function openHotPath(table) {
  for (let index = 0, opened = 0; opened < 24 && index < table.rows.length; ++opened) {
    const row = table.rows[index];
    if (!row.hasChildren) return;
    table.toggle(index);
    const first = table.rows[++index];
    if (first === undefined || first.total < row.total / 2) return;
  }
}

class TreeView {
  constructor(page) {
    this.page = page;
    this.table = treeTable(page, "Call tree", "Function", true, () => page.shown);
    this.root = element("section", { class: "view", "aria-label": "Call tree" }, this.table.root);
  }
  update(state, changes) {
    if (!changes.tree && this.shown === this.page.shown) return;
    this.shown = this.page.shown;
    this.table.setRows(treeRows(this.page, this.shown, 0));
    openHotPath(this.table);
  }
}

class SandwichView {
  constructor(page) {
    this.page = page;
    this.title = element("h2", { class: "view-title" });
    this.callers = treeTable(page, "Callers", "Called by", false, () => this.callersTree);
    this.callees = treeTable(page, "Callees", "Calls", true, () => this.calleesTree);
    this.root = element("section", { class: "view sandwich", "aria-label": "Callers and callees" }, this.title,
      element("div", { class: "halves" }, this.callers.root, this.callees.root));
  }
  update(state) {
    const { page } = this;
    const chosen = page.chosenFunction();
    if (chosen < 0) {
      this.title.textContent = "No samples pass the filters.";
      this.callers.setRows([]);
      this.callees.setRows([]);
      return;
    }
    if (chosen === this.shownFor && this.weights === page.weights) return;
    this.shownFor = chosen;
    this.weights = page.weights;
    this.title.textContent = `${page.names[chosen]}: ${percentText(page.sums.all[chosen], page.sums.whole)} % with callees, ${percentText(page.sums.self[chosen], page.sums.whole)} % self`;
    this.callersTree = shownTree(page.profile, page.weights, aroundFunction(page.profile, page.weights, chosen, true));
    this.calleesTree = shownTree(page.profile, page.weights, aroundFunction(page.profile, page.weights, chosen, false));
    for (const [table, shown] of [[this.callers, this.callersTree], [this.callees, this.calleesTree]]) {
      table.setRows(treeRows(page, shown, 0));
      openHotPath(table);
    }
  }
}
