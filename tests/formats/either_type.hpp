// Properties of random matrices, in float and in double.
#pragma once

#include <rapidcheck.h>

#include <type_traits>

namespace copse::tests {

/// holds(std::type_identity<T>()) of one type: in float in half of the tries, so that both share their number.
template <class Property>
void in_either_type(Property const& holds) {
    if (*rc::gen::arbitrary<bool>())
        holds(std::type_identity<float>());
    else
        holds(std::type_identity<double>());
}

}  // namespace copse::tests
