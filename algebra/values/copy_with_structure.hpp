// A matrix beside another one, to be given other values.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>
#include <memory>

namespace copse::detail {

/// A copy of the content's arenas: its nodes lie at the same places, and both have the same structure_notes. Compiled
/// with with_values(). Throws std::bad_alloc, cuda_error.
template <any_executor Executor>
std::shared_ptr<hisparse_content> copy_with_structure(Executor& executor, hisparse_content const& old);

}  // namespace copse::detail
