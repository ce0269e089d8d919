// Values in the objects that commands print.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace copse::bench {

/// null where there is none.
template <class Value>
nlohmann::ordered_json or_null(std::optional<Value> const& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace copse::bench
