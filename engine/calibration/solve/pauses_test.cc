#include "engine/calibration/solve/pauses.h"

#include "testing/catch.h"

namespace lsmlab::engine::pauses_test {
namespace {

TEST_CASE("pauses of the disk are their mean length and their share of the time of writing") {
  DeviceModel model;
  derive_pauses({3.5, 0, 0}, model.pauses);
  REQUIRE(model.pauses.length_ns == 0);
  REQUIRE(model.pauses.share.numerator() == 0);
  derive_pauses({3.5, 0.25, 0.0017}, model.pauses);  // a 2,000th: below what the share can say
  REQUIRE(model.pauses.length_ns == 0);
  derive_pauses({3.5, 4.5, 0.2835}, model.pauses);
  REQUIRE(model.pauses.length_ns == 63'000'000);
  REQUIRE(model.pauses.share.as_double() == 0.081);
  REQUIRE(model.validate().empty());
  derive_pauses({500, 0.5, 499}, model.pauses);
  REQUIRE(model.pauses.length_ns == 60'000'000'000);
  REQUIRE(model.pauses.share.as_double() == 0.9);
}

}  // namespace
}  // namespace lsmlab::engine::pauses_test
