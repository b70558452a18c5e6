// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/explanation.h"

#include <gtest/gtest.h>

#include "devgen/codes.h"

namespace wperf::devgen {
namespace {

FileFacts signed_driver() {
  return {.exists = true,
          .processor = code::kMachineArm64,
          .version = "3.8.0",
          .signature = Signature::embedded,
          .signer = "somebody",
          .signature_error = {}};
}

TEST(ExplanationTest, NumbersAreWrittenAsPeopleLookThemUp) {
  EXPECT_EQ(number_text(5), "5");
  EXPECT_EQ(number_text(0x800B0109), "0x800B0109");
  EXPECT_EQ(number_text(0xE000020B), "0xE000020B");
}

TEST(ExplanationTest, UnknownNumberIsNamed) {
  EXPECT_EQ(explain(4711, {}, {}).text, "Windows answered with error 4711");
  EXPECT_EQ(explain(0xE00002FF, {}, {}).text, "Windows answered with error 0xE00002FF");
}

TEST(ExplanationTest, AccessDeniedDependsOnWhoAsks) {
  Facts facts;
  EXPECT_EQ(explain(code::kElevationRequired, facts, {}).text, "only an administrator may install or remove a driver");
  facts.elevated = true;
  EXPECT_NE(explain(code::kAccessDenied, facts, {}).text.find("although this console runs as administrator"),
            std::string::npos);
}

TEST(ExplanationTest, RefusedSignature) {
  Facts facts;
  const auto hint = [&](const FileFacts& file) { return explain(code::kInvalidImageHash, facts, file).hint; };
  FileFacts unsigned_driver = signed_driver();
  unsigned_driver.signature = Signature::none;
  EXPECT_NE(hint(unsigned_driver).find("sign it"), std::string::npos);
  facts.test_mode = Switch::off;
  facts.secure_boot = Switch::off;
  EXPECT_EQ(hint(signed_driver()).find("Secure Boot"), std::string::npos);
  EXPECT_NE(hint(signed_driver()).find("bcdedit"), std::string::npos);
  facts.secure_boot = Switch::on;
  EXPECT_NE(hint(signed_driver()).find("BitLocker"), std::string::npos);
  facts.test_mode = Switch::on;
  EXPECT_NE(hint(signed_driver()).find("sign it again"), std::string::npos);
  facts.memory_integrity = Switch::on;
  EXPECT_NE(hint(signed_driver()).find("memory integrity"), std::string::npos);
}

TEST(ExplanationTest, FileThatIsNoProgram) {
  FileFacts file = signed_driver();
  file.processor = 0;
  EXPECT_EQ(explain(code::kMachineMismatch, {}, file).text, "wperf-driver.sys is not a driver file");
}

TEST(ExplanationTest, ProblemsOfTheDeviceBecomeErrors) {
  EXPECT_EQ(error_of_problem(0), 0u);
  EXPECT_EQ(error_of_problem(code::kProblemUnsignedDriver), code::kInvalidImageHash);
  EXPECT_EQ(error_of_problem(code::kProblemNeedsRestart), code::kRestartRequired);
  EXPECT_EQ(error_of_problem(code::kProblemDriverFailedLoad), code::kBadDriver);
  EXPECT_EQ(error_of_problem(code::kProblemFailedStart), code::kGenFailure);
  EXPECT_EQ(error_of_problem(57), code::kGenFailure);
}

TEST(ExplanationTest, PlainServiceOnlyAgainstTheCatalog) {
  Facts facts;
  facts.test_mode = Switch::on;
  EXPECT_TRUE(plain_service_survives(code::kNoCatalogForInf, facts, signed_driver()));
  EXPECT_TRUE(plain_service_survives(code::kModuleNotFound, facts, signed_driver()));
  EXPECT_FALSE(plain_service_survives(code::kInvalidImageHash, facts, signed_driver()));
  EXPECT_FALSE(plain_service_survives(code::kDeviceInstallBlocked, facts, signed_driver()));
  EXPECT_FALSE(plain_service_survives(code::kDriverInstallBlocked, facts, signed_driver()));
  EXPECT_FALSE(plain_service_survives(code::kCancelled, facts, signed_driver()));
  facts.test_mode = Switch::unknown;
  EXPECT_FALSE(plain_service_survives(code::kNoCatalogForInf, facts, signed_driver()));
}

}  // namespace
}  // namespace wperf::devgen
