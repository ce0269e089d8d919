// A folder for the files of one test, removed with all it holds at the test's end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

class scratch_folder {
  public:
    scratch_folder() {
        auto name = (std::filesystem::temp_directory_path() / "copse_test_XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a folder like " + name);
        path_ = name;
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch_folder(scratch_folder const&) = delete;
    scratch_folder& operator=(scratch_folder const&) = delete;

    std::string path(std::string const& name) const { return (path_ / name).string(); }

    /// Writes `text` to a file of this name; its path.
    std::string file(std::string const& name, std::string const& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

    std::size_t file_count() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
    }

  private:
    std::filesystem::path path_;
};

inline std::string text_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
