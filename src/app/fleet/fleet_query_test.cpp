// SPDX-License-Identifier: BSD-3-Clause
#include "app/fleet/fleet_query.h"

#include <gtest/gtest.h>

#include "app/push/clickhouse_table.h"

namespace wperf::fleet {
namespace {

TEST(FleetQuery, ValuesAreTextsOfSqlWhateverIsInThem) {
  request::FleetAddress address;
  address.choices = {{.label = "build", .values = {"4'1\\", "42"}}, {.label = "zone", .values = {"'); DROP TABLE x"}}};
  address.since_unix_s = 17;
  const std::string conditions = R"( WHERE time >= toDateTime(17) AND build IN ('4\'1\\', '42') AND )"
                                 R"(label_values[indexOf(label_names, 'zone')] IN ('\'); DROP TABLE x'))";
  for (const std::string& query :
       {hosts_query(address), counts_query(address, true), counts_query(address, false), stacks_query(address)}) {
    EXPECT_NE(query.find(conditions), std::string::npos) << query;
  }
}

TEST(FleetQuery, NoOptionsSelectEverything) {
  for (const std::string& query : {hosts_query({}), counts_query({}, true), stacks_query({}), values_query({})})
    EXPECT_EQ(query.find("WHERE"), std::string::npos) << query;
}

TEST(FleetQuery, TheDatabaseIsThePathOfTheServer) {
  EXPECT_EQ(push::clickhouse_request_url("http://db:8123", "/"), "http://db:8123/");
  EXPECT_EQ(push::clickhouse_request_url("http://db:8123/shop", "/"), "http://db:8123/?database=shop");
  EXPECT_EQ(push::clickhouse_request_url("http://db/a&b", "/?query=x"), "http://db/?query=x&database=a%26b");
}

}  // namespace
}  // namespace wperf::fleet
