// A user's store as a question of `advise`: asked as `what-if` asks, so that both make the same
// runs of today's options.
#pragma once

#include <string>

#include "models/base/error.h"
#include "validate/advise/advice.h"
#include "validate/stores/store_case.h"
#include "validate/stores/what_if.h"

namespace lsmlab {

/// The device of the runs that answer the question about the store; empty: no clock.
[[nodiscard]] std::string device_of(const StoreCase& store, const WhatIfQuestion& what_if);

/// What the user does not state of the run is as the store's files tell. Candidates begin with
/// today's tree where it is known, every policy that is searched can go on from it, and the user
/// asks for no other part of the run (`measure_from`, `scale`, resolution flush). Returns why they
/// load the records though today's tree is known; empty otherwise. REQUIRES: the question has the
/// user's run on device_of(), and the policies to search. Errors: those of run_of_case().
[[nodiscard]] Result<std::string> take_store_case(const StoreCase& store,
                                                  const WhatIfQuestion& what_if,
                                                  AdviceQuestion& question);

}  // namespace lsmlab
