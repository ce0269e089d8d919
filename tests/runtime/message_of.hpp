// What an error says.
#pragma once

#include <string>

namespace copse::tests {

/// The message of the Error that `call` throws.
template <class Error, class Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (Error const& e) {
        return e.what();
    }
    return "no error of this type";
}

}  // namespace copse::tests
