// As in tests/runtime/compile_fail: each program here must be refused with one line, which its first line quotes.
#pragma once

#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

struct visits_nodes {
    using item = copse::node;
    static constexpr int width = 1;
    copse::tree_view<double> tree;
};
