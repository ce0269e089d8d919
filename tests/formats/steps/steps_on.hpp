#pragma once

#include <copse/formats/steps/steps_on.hpp>

namespace copse::tests {

using detail::host_steps;

}  // namespace copse::tests
