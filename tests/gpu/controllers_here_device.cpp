// The controller that copse::device adds. The others are tested by programs without it.
#include <gpu/with_controller.hpp>

std::vector<copse::controller> copse::tests::controllers_here() { return {controller::device}; }
