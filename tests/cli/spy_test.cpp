// copse spy: what the files hold, and what is refused.
#include <copse/formats/statistics.hpp>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/canvas.hpp"
#include "cli/command.hpp"
#include "cli/spy_drawing.hpp"

#if COPSE_HAS_PNG
#include <cairo.h>
#endif

namespace copse_test {
namespace {

using nlohmann::json;

class spy_test : public command_test {
  protected:
    spy_test() {
        // With d = 64 one wide leaf.
        write("A.mtx", "%%MatrixMarket matrix coordinate real general\n3 100 3\n1 1 1\n1 100 2\n3 1 3\n");
    }
    std::string draw(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "spy");
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err, "");
        return o.out;
    }
    /// Python's parser takes it.
    void expect_xml(std::string const& name) const {
        auto const o =
            run_program("python3", {"-c", "import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])", name});
        EXPECT_EQ(o.status, 0) << o.err;
    }
    /// Nothing is fetched from elsewhere: the name of SVG is the only address.
    static void expect_alone(std::string file) {
        std::string const own = "xmlns=\"http://www.w3.org/2000/svg\"";
        if (auto const at = file.find(own); at != file.npos) file.erase(at, own.size());
        for (auto const* word : {"http", "href", "src=", "url(", "@import", "<script"})
            EXPECT_EQ(file.find(word), file.npos) << word;
    }
};

std::size_t times_in(std::string const& text, std::string const& part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

/// The colour of the first cells that are drawn.
std::string entries_colour(std::string const& svg) {
    std::smatch found;
    bool const is_there =
        std::regex_search(svg, found, std::regex("stroke=\"(#[0-9a-f]{6})\" stroke-width=\"1\" fill=\"none\" shape"));
    EXPECT_TRUE(is_there);
    return is_there ? found[1].str() : "";
}

void expect_parts(std::string const& text, std::vector<std::string> const& parts) {
    for (auto const& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in\n" << text.substr(0, 4000);
}

TEST_F(spy_test, svg) {
    EXPECT_EQ(draw({"A.mtx", "-o", "a.svg"}).rfind("a.svg: 3 x 100, 3 entries, one by one; ", 0), 0u);
    auto const svg = read("a.svg");
    expect_xml("a.svg");
    expect_alone(svg);
    // A leaf of 128 x 128: three cells, of which none are neighbours, and one outline.
    expect_parts(svg, {"M0 0.5h1M99 0.5h1M0 2.5h1\"", "A.mtx", "3 x 100, 3 entries", ">row<", ">column<",
                       ">level  kind", "class=\"level-0\"", ">sparse", "3 entries"});
    EXPECT_EQ(times_in(svg, "class=\"level-"), 1u);
    EXPECT_EQ(files(), (std::vector<std::string>{"A.mtx", "a.svg"}));
}

TEST_F(spy_test, the_transpose) {
    draw({"A.mtx", "--transpose", "-o", "a.svg"});
    expect_parts(read("a.svg"), {"M0 0.5h1M2 0.5h1M0 99.5h1\"", "transpose of A.mtx", "100 x 3"});
}

TEST_F(spy_test, levels_and_kinds) {
    draw({"dense:100", "--node-dimension", "64", "-o", "dense.svg"});
    auto const svg = read("dense.svg");
    expect_parts(svg, {"class=\"level-0\"", "class=\"level-1\"", "4 children", "M0 0.5h64M0 1.5h64", "M64 0.5h36"});
    // An element is 7.2 wide: the outlines of the leaves to the right of the first one, and below it.
    expect_parts(svg, {"M552.8 84h259.2v460.8h-259.2z", "M92 544.8h460.8v259.2h-460.8z"});
    draw({"A.mtx", "--node-dimension", "64", "-o", "wide.svg"});
    expect_parts(read("wide.svg"), {">wide ", "class=\"level-1\""});
    // Cells have the colour of the kind in the legend: twice there, and kinds differ.
    auto const dense = entries_colour(svg), wide = entries_colour(read("wide.svg"));
    EXPECT_NE(dense, wide);
    EXPECT_GE(times_in(svg, "fill=\"" + dense + "\""), 2u);
    EXPECT_GE(times_in(read("wide.svg"), "fill=\"" + wide + "\""), 2u);
}

TEST_F(spy_test, html) {
    draw({"dense:100", "--node-dimension", "64", "-o", "a.HTML"});
    auto const page = read("a.HTML");
    EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0u);
    expect_xml("a.HTML");
    expect_alone(page);
    expect_parts(page, {"<svg", "id=\"show-entries\"", "id=\"show-level-0\"",
                        "#show-level-1:not(:checked)~svg .level-1", "<title>dense:100</title>"});
}

TEST_F(spy_test, names_are_text) {
    write("a<b>&\"'.mtx", read("A.mtx"));
    draw({"a<b>&\"'.mtx", "-o", "a.html"});
    expect_xml("a.html");
    EXPECT_EQ(read("a.html").find("a<b>"), std::string::npos);
    EXPECT_EQ(copse::cli::escaped("<&>\"'"), "&lt;&amp;&gt;&quot;&#39;");
    EXPECT_EQ(copse::cli::escaped("a\xc3\xa9\xff\x01z\xe2\x82"), "a\xc3\xa9??z??");
    EXPECT_EQ(copse::cli::escaped("\xed\xa0\x80\xc0\x80"), "?????");
}

TEST_F(spy_test, a_large_matrix_is_drawn_in_cells) {
    auto const r = json::parse(draw({"stencil27:24", "--node-dimension", "64", "-o", "a.svg", "--json"}));
    EXPECT_EQ(r["op"], "spy");
    EXPECT_EQ(r["rows"], 13824);
    EXPECT_EQ(r["cell"], 29);  // 13824 / 480, rounded up
    EXPECT_EQ(r["grid"], (json{{"rows", 477}, {"columns", 477}}));
    EXPECT_EQ(r["outlined_from_level"], 1);
    auto const svg = read("a.svg");
    expect_parts(svg, {"A cell is 29 x 29", "Nodes of level 0 are too small"});
    expect_xml("a.svg");
    EXPECT_LT(svg.size(), 4'000'000u);
}

TEST_F(spy_test, a_matrix_without_entries) {
    write("zero.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
    write("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    for (std::string const name : {"zero", "none"}) {
        draw({name + ".mtx", "-o", name + ".svg"});
        expect_xml(name + ".svg");
        expect_parts(read(name + ".svg"), {"no nodes", "0 entries"});
    }
}

TEST_F(spy_test, a_thin_matrix_can_still_be_seen) {
    write("thin.mtx", "%%MatrixMarket matrix coordinate real general\n1 1000000 1\n1 500000 1\n");
    auto const r = json::parse(draw({"thin.mtx", "-o", "thin.svg", "--json"}));
    EXPECT_EQ(r["grid"]["rows"], 1);
    expect_xml("thin.svg");
}

TEST_F(spy_test, what_is_refused) {
    expect_error(run({"spy", "A.mtx"}), "spy needs a file to draw to: -o FILE");
    expect_error(run({"spy", "A.mtx", "-o", "a.pdf"}),
                 "-o: the name 'a.pdf' does not say what to draw; let it end in "
                 ".svg, .html or .png");
    expect_error(run({"spy", "A.mtx", "-o", "svg"}), "let it end in");
    expect_error(run({"spy", "no.mtx", "-o", "a.svg"}), "no.mtx");
    expect_error(run({"spy", "A.mtx", "-o", "no/a.svg"}), "there is no directory 'no'");
    expect_error(run({"spy", "A.mtx", "-o", "a.svg", "--omega", "4"}), "--omega");
    EXPECT_EQ(files(), std::vector<std::string>{"A.mtx"});
    write("a.svg", read("A.mtx"));
    expect_error(run({"spy", "a.svg", "-o", "a.svg"}), "it is the input");
    EXPECT_EQ(read("a.svg"), read("A.mtx"));
}

TEST_F(spy_test, no_half_of_a_file_stays) {
    write("a.svg", "old");
    auto const o = run_program("/bin/sh", {"-c", "ulimit -f 1; exec " COPSE_COMMAND " spy rmat:10 -o a.svg"});
    expect_error(o, "cannot write 'a.svg': File too large");
    EXPECT_EQ(read("a.svg"), "old");
    EXPECT_EQ(files(), (std::vector<std::string>{"A.mtx", "a.svg"}));
}

#if COPSE_HAS_PNG
struct decoded_png {
    int width;
    int height;
    std::vector<std::uint32_t> pixels;
    copse::cli::colour at(double x, double y) const {  // in units of a canvas
        auto const p = pixels.at(static_cast<std::size_t>(2 * y) * static_cast<std::size_t>(width) +
                                 static_cast<std::size_t>(2 * x));
        return {static_cast<std::uint8_t>(p >> 16), static_cast<std::uint8_t>(p >> 8), static_cast<std::uint8_t>(p)};
    }
};

decoded_png decoded(std::string_view file) {
    auto const take = [](void* from, unsigned char* to, unsigned count) {
        auto& rest = *static_cast<std::string_view*>(from);
        if (rest.size() < count) return CAIRO_STATUS_READ_ERROR;
        std::memcpy(to, rest.data(), count);
        rest.remove_prefix(count);
        return CAIRO_STATUS_SUCCESS;
    };
    auto* const image = cairo_image_surface_create_from_png_stream(take, &file);
    EXPECT_EQ(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    decoded_png p{cairo_image_surface_get_width(image), cairo_image_surface_get_height(image), {}};
    auto const* row = cairo_image_surface_get_data(image);
    for (int y = 0; y < p.height; ++y, row += cairo_image_surface_get_stride(image)) {
        p.pixels.resize(p.pixels.size() + static_cast<std::size_t>(p.width));
        std::memcpy(p.pixels.data() + p.pixels.size() - p.width, row, 4 * static_cast<std::size_t>(p.width));
    }
    cairo_surface_destroy(image);
    return p;
}

/// Whether some pixel there is darker than half.
bool has_ink(decoded_png const& p, copse::cli::rectangle const& area) {
    for (double y = area.y; y < area.y + area.height; y += 0.5)
        for (double x = area.x; x < area.x + area.width; x += 0.5)
            if (p.at(x, y).red < 128) return true;
    return false;
}

void expect_colour(copse::cli::colour is, copse::cli::colour should) {
    EXPECT_EQ(is.red, should.red);
    EXPECT_EQ(is.green, should.green);
    EXPECT_EQ(is.blue, should.blue);
}

TEST(png_canvas, is_decoded_to_what_was_drawn) {
    using namespace copse::cli;
    colour const blue{0, 0, 200}, red{200, 0, 0};
    auto const to = make_png_canvas(40, 30);
    to->fill({10, 5, 4, 3}, blue);
    to->fill_cells({20, 10, 8, 8}, 4, 4, red, {{1, 2, 2}});
    to->outline({{2, 20, 6, 6}}, black, 1);
    to->text(20, 29, "I\xff\xfeI");  // bytes that are no text
    to->text(39, 12, "I", text_end::right);
    to->text(12, 18, "I", text_end::middle);
    auto const p = decoded(to->finish());
    EXPECT_EQ(p.width, 80);
    EXPECT_EQ(p.height, 60);
    expect_colour(p.at(10, 5), blue);
    expect_colour(p.at(13.5, 7.5), blue);
    expect_colour(p.at(14, 5), white);
    expect_colour(p.at(10, 8), white);
    expect_colour(p.at(24, 12), red);
    expect_colour(p.at(27.5, 13.5), red);
    expect_colour(p.at(23.5, 12), white);
    expect_colour(p.at(24, 14), white);
    for (auto const& [x, y] : {std::pair{2, 23}, {8, 23}, {5, 20}, {5, 26}, {2, 20}, {8, 26}})
        expect_colour(p.at(x, y), {102, 102, 102});  // lets through four tenths
    expect_colour(p.at(5, 23), white);
    EXPECT_TRUE(has_ink(p, {20, 20, 7, 9}));
    EXPECT_TRUE(has_ink(p, {20 + 2 * 7.2, 20, 5, 9}));
    EXPECT_FALSE(has_ink(p, {15, 20, 5, 9}));
    EXPECT_TRUE(has_ink(p, {31.8, 3, 7.2, 9}));
    EXPECT_FALSE(has_ink(p, {39, 3, 1, 9}));
    EXPECT_TRUE(has_ink(p, {8.4, 9, 7.2, 9}));
    EXPECT_FALSE(has_ink(p, {16, 9, 4, 9}));
}

TEST_F(spy_test, png) {
    draw({"dense:100", "--node-dimension", "64", "-o", "a.png"});
    auto const p = decoded(read("a.png"));
    EXPECT_GT(p.width, 2 * 720);
    EXPECT_GT(p.height, 2 * 720);
    // The middle of an element has its leaf's colour, as in the SVG.
    draw({"dense:100", "--node-dimension", "64", "-o", "a.svg"});
    auto const c = p.at(92 + 7.2 * 30 + 3.6, 84 + 7.2 * 20 + 3.6);
    char text[8];
    std::snprintf(text, sizeof(text), "#%02x%02x%02x", c.red, c.green, c.blue);
    EXPECT_EQ(text, entries_colour(read("a.svg")));
    EXPECT_TRUE(has_ink(p, {14, 10, 9 * 7.2, 12})) << "no title";
    EXPECT_TRUE(has_ink(p, {14, 28, 9 * 7.2, 12})) << "no facts";
    EXPECT_LT(read("a.png").size(), 200'000u);
}
#else
TEST_F(spy_test, a_png_without_cairo_is_refused) {
    expect_error(run({"spy", "A.mtx", "-o", "a.png"}), "built without Cairo; name a file that ends in .svg or .html");
}
#endif

}  // namespace
}  // namespace copse_test
