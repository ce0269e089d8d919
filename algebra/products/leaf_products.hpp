// The lanes' products of all kinds of leaves. (A CPU's: cpu/leaves/leaf_products-inl.hpp.)
#pragma once

#include <copse/algebra/products/dense_leaf.hpp>
#include <copse/algebra/products/diagonal_leaf.hpp>
#include <copse/algebra/products/sparse_leaf.hpp>
