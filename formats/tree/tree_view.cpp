#include <copse/formats/tree_view.hpp>
#include <copse/runtime/error.hpp>
#include <string>

namespace copse::detail {

void refuse_node(char const* call, char const* wanted, node n) {
    std::string what = "no node";
    if (n) {
        what = std::string("an inner node");
        if (n.reference.is_leaf())
            with_kind(n.reference.kind(), [&](auto owner) { what = std::string("a ") + owner.name; });
        what += " at row " + std::to_string(n.row) + ", column " + std::to_string(n.column);
    }
    throw argument_error(std::string("tree_view: ") + call + " wants a node that is: " + wanted + "; it was given " +
                         what + "; ask is_leaf() and reference.kind() first, or read leaves by for_each_entry()");
}

}  // namespace copse::detail
