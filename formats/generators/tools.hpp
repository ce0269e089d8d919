// What the families of generators share: their checked arguments, and the one loop that collects entries in parallel.
// A generator of a family is a function `coo<T> name(generator_arguments const&)`, listed in generators.cpp.
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/memory.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

namespace copse::detail {

/// The arguments of one specification, defaults filled in, each within its range.
struct generator_arguments {
    std::string name;
    std::vector<std::int64_t> values;
    std::string generator = {};  // the specification that is its last argument, of those that change another matrix

    std::int64_t operator[](std::size_t i) const { return values[i]; }
};

/// Throws argument_error when a matrix of this size cannot be had: more than 2^31 - 1 rows or columns, or more bytes
/// than the machine has memory. The sizes are doubles because products of arguments pass 2^63.
void check_size(std::string const& name, double rows, double columns, double entries_at_most, std::size_t value_bytes);

/// Thrown where there is no memory for the entries of a matrix; generate() makes an argument_error of it.
struct lack_of_memory {
    std::int64_t rows, columns, entries;
    double bytes;
    std::size_t available;  // SIZE_MAX where the system does not say
};

/// A matrix with room for so many entries. Throws lack_of_memory.
template <class T>
coo<T> with_room(std::int64_t rows, std::int64_t columns, std::int64_t entries) {
    auto const bytes = static_cast<double>(entries) * static_cast<double>(8 + sizeof(T));
    auto const available = available_host_memory();
    lack_of_memory const lack{rows, columns, entries, bytes, available};
    if (bytes > static_cast<double>(available)) throw lack;
    coo<T> a;
    a.row_count = rows;
    a.column_count = columns;
    try {
        a.rows.resize(entries);
        a.columns.resize(entries);
        a.values.resize(entries);
    } catch (std::bad_alloc const&) {
        throw lack;
    }
    return a;
}

/// The entries of items 0 .. item_count - 1 in that order. `item(i, emit)` calls emit(row, column, value) for each
/// entry of item i; it is called twice (the first pass counts), so it must be a function of i alone.
template <class T, class Item>
coo<T> collect(std::int64_t rows, std::int64_t columns, std::int64_t item_count, Item const& item) {
    std::int64_t const parts = item_count < 1024 ? item_count : 1024;
    std::vector<std::int64_t> first(parts + 1, 0);
    parallel_for(parts, 1, [&](std::int64_t part) {
        std::int64_t count = 0;
        std::int64_t const end = part_begin(part + 1, parts, item_count);
        for (auto i = part_begin(part, parts, item_count); i < end; ++i) {
            item(i, [&](std::int64_t, std::int64_t, double) { ++count; });
        }
        first[part + 1] = count;
    });
    for (std::int64_t part = 0; part < parts; ++part) first[part + 1] += first[part];
    auto a = with_room<T>(rows, columns, first[parts]);
    parallel_for(parts, 1, [&](std::int64_t part) {
        std::int64_t k = first[part];
        std::int64_t const end = part_begin(part + 1, parts, item_count);
        for (auto i = part_begin(part, parts, item_count); i < end; ++i) {
            item(i, [&](std::int64_t row, std::int64_t column, double value) {
                a.rows[k] = static_cast<std::int32_t>(row);
                a.columns[k] = static_cast<std::int32_t>(column);
                a.values[k] = static_cast<T>(value);
                ++k;
            });
        }
    });
    return a;
}

// generators/grid.cpp
template <class T>
coo<T> poisson2d(generator_arguments const& arguments);
template <class T>
coo<T> poisson3d(generator_arguments const& arguments);
template <class T>
coo<T> stencil27(generator_arguments const& arguments);
template <class T>
coo<T> elasticity(generator_arguments const& arguments);

// generators/structured.cpp
template <class T>
coo<T> trefethen(generator_arguments const& arguments);
template <class T>
coo<T> epidemiology(generator_arguments const& arguments);
template <class T>
coo<T> qcd(generator_arguments const& arguments);
template <class T>
coo<T> dense(generator_arguments const& arguments);
template <class T>
coo<T> banded(generator_arguments const& arguments);

// generators/random.cpp
template <class T>
coo<T> permutation(generator_arguments const& arguments);
template <class T>
coo<T> rmat(generator_arguments const& arguments);
template <class T>
coo<T> circuit(generator_arguments const& arguments);
template <class T>
coo<T> lp(generator_arguments const& arguments);
template <class T>
coo<T> uniform(generator_arguments const& arguments);
template <class T>
coo<T> dense_row(generator_arguments const& arguments);

// generators/moved.cpp
template <class T>
coo<T> moved(generator_arguments const& arguments);

// generators/changed.cpp
template <class T>
coo<T> ones(generator_arguments const& arguments);
template <class T>
coo<T> valued(generator_arguments const& arguments);
template <class T>
coo<T> symmetric(generator_arguments const& arguments);
template <class T>
coo<T> skew(generator_arguments const& arguments);
template <class T>
coo<T> kkt(generator_arguments const& arguments);

}  // namespace copse::detail
