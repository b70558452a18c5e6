// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "app/commands/commands.h"
#include "ground/diag/nearest.h"
#include "ground/text/parts.h"
#include "views/report/tool_reports.h"
#include "views/schemas/schemas.h"

namespace wperf::commands {
namespace {

std::string list_of_schemas() {
  report::Table table;
  table.columns = {{"name"}, {"document"}, {"printed by"}};
  for (const schemas::Schema& schema : schemas::all()) {
    table.rows.push_back(
        {std::string(schema.name), std::string(schema.title), text::joined(schemas::printed_by(schema), ", ")});
  }
  return report::table_text(table);
}

diag::Error no_schema(const std::string& name) {
  std::vector<std::string_view> names;
  for (const schemas::Schema& schema : schemas::all()) names.push_back(schema.name);
  const std::string meant = diag::did_you_mean(diag::nearest(name, names));
  return diag::usage_error(fmt::format("no document '{}'{}{}", name, meant.empty() ? "" : "; ", meant),
                           "`wperf schema` lists them");
}

}  // namespace

diag::Result<void> run_schema(const request::Request& request, diag::Console& console) {
  if (!request.schema_name.has_value()) {
    console.out(list_of_schemas());
    return {};
  }
  const schemas::Schema* schema = schemas::find(*request.schema_name);
  if (schema == nullptr) return no_schema(*request.schema_name);
  console.out(schema->text);
  return {};
}

}  // namespace wperf::commands
