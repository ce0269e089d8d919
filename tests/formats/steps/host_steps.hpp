#pragma once

#include <copse/formats/steps/host_steps.hpp>

namespace copse::tests {

using detail::host_steps;

}  // namespace copse::tests
