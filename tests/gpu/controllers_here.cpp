// The controllers of programs that are linked with copse::copse alone.
#include <gpu/with_controller.hpp>

std::vector<copse::controller> copse::tests::controllers_here() { return {controller::persistent, controller::host}; }
