#pragma once

#include <copse/formats/host_steps.hpp>

namespace copse::tests {

using detail::host_steps;

}  // namespace copse::tests
