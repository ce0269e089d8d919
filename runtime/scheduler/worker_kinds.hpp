// Which of a function's two bodies a worker takes. Where a CPU does better than the lanes' steps on one lane, a
// function has two overloads of one name:
//
//   template <lanes_worker Worker> COPSE_HOST_DEVICE void f(Worker& w, ...)    gpu and emulated: one source
//   template <core_worker Worker> void f(Worker& w, ...)                       one core of a CPU
#pragma once

namespace copse::detail {

template <class Worker>
concept core_worker = Worker::on_cpu;

template <class Worker>
concept lanes_worker = !Worker::on_cpu;

}  // namespace copse::detail
