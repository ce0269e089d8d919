#include <copse/formats/tree/refused_nodes.hpp>
#include <copse/runtime/error.hpp>

namespace copse::detail {
namespace {

template <class What>
[[noreturn]] void throw_refusal(What const& what) {
    char text[refusal_bytes];
    refusal_words words(text);
    what(words);
    throw argument_error(text);
}

}  // namespace

void refuse(refused_node const& what) {
    throw_refusal(what);
}
void refuse(refused_entry const& what) {
    throw_refusal(what);
}
void refuse(refused_level const& what) {
    throw_refusal(what);
}
void refuse(refused_shared_level const& what) {
    throw_refusal(what);
}

}  // namespace copse::detail
