#include <gmock/gmock.h>

#include "scenarios/formats/dot_file.hpp"
#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

using Edges = std::set<std::string>;

TEST(DotImport, SizesAreFlopAndBytes) {
  const Imported read = read_as("dot", R"(digraph G {
root [size="0.0"];
a [size="5.8e11", alpha="0.1"];
b [size=2000000 label="drawn"];
root -> a [size="-1"];
a->b [size="4096.4"] ;
a -> end
})");
  ASSERT_EQ(read.graph.size(), 4u);
  EXPECT_EQ(edges_of(read.graph), (Edges{"root>a", "a>b:4096", "a>end"}));
  const Task& a = read.graph[task_called(read.graph, "a")];
  EXPECT_EQ(a.kernel, Kernel::kFma);
  EXPECT_EQ(a.cost.flops.count, 580'000'000'000);
  EXPECT_EQ(read.graph[task_called(read.graph, "root")].kernel, Kernel::kEmpty);
  EXPECT_EQ(read.remarks,
            (std::vector<std::string>{"1 node without a size: empty bodies", "attribute 'alpha' of 1 nodes and edges is not used"}));
  EXPECT_EQ(read.counts.front(), (std::pair<std::string, std::int64_t>{"tasks", 4}));
}

TEST(DotImport, WhatANodeStatesItselfStandsInPlaceOfTheDefault) {
  const Imported read = read_as("dot", R"(digraph {
node [size=1000]; node [size=2000]; edge [size=8]
a; b [size=5000]; c
a -> b [size=16]; a -> c
})");
  const auto flops = [&read](const char* name) { return read.graph[task_called(read.graph, name)].cost.flops.count; };
  EXPECT_EQ(flops("a"), 2000) << "of two defaults the later";
  EXPECT_EQ(flops("b"), 5000);
  EXPECT_EQ(edges_of(read.graph), (Edges{"a>b:16", "a>c:8"}));
  EXPECT_THAT(refused_as("dot", "digraph {\na [size=1]\na [size=2] }"), HasSubstr("has two sizes"));
}

TEST(DotImport, AnEdgeOfTasksWithCommasCanBeDropped) {
  const std::string text = R"dot(digraph { "k(0,1)"->"k(1,2)"; "k(1,2)"->"k(0,1)"; a->"k(0,1)" })dot";
  const std::vector<std::string> as_divided{"k(1", "2)->k(0", "1)"};  // at each comma, as on a command line
  EXPECT_EQ(edges_of(read_as("dot", text, {.drop_edges = as_divided}).graph), (Edges{"k(0,1)>k(1,2)", "a>k(0,1)"}));
  const std::vector<std::string> both{"k(1", "2)->k(0", "1)", "a"};
  EXPECT_EQ(edges_of(read_as("dot", text, {.drop_edges = both}).graph), (Edges{"k(0,1)>k(1,2)"}));
}

TEST(DotImport, ACycleIsNamedWithTheEdgeThatClosesIt) {
  const std::string text = "digraph {\na->b\nb->c\nc->b\nc->d }";
  EXPECT_EQ(refused_as("dot", text),
            "4:1: the edges make a cycle: b -> c -> b; the edge c -> b (of source 'edge') closes it; --drop-edges 'c->b' leaves it out");
  const Imported opened = read_as("dot", text, {.drop_edges = {"c->b"}});
  EXPECT_EQ(edges_of(opened.graph), (Edges{"a>b", "b>c", "c>d"}));
  EXPECT_TRUE(has_remark(opened, "1 edge left out by drop_edges"));
  EXPECT_EQ(edges_of(read_as("dot", text, {.drop_edges = {"c"}}).graph), (Edges{"a>b", "b>c"}));
  EXPECT_EQ(edges_of(read_as("dot", text, {.drop_edges = {"edge"}}).graph), Edges{});
  EXPECT_THAT(refused_as("dot", text, {.drop_edges = {"a->d"}}), HasSubstr("no edge goes by 'a->d'"));
  EXPECT_THAT(refused_as("dot", "digraph{a->a}"), HasSubstr("1:1: the edges make a cycle: a -> a;"));
}

TEST(DotImport, FaultsAreLocated) {
  EXPECT_THAT(refused_as("dot", "digraph {\n a [size=\"-5\"];\n}"),
              HasSubstr("2:1: node 'a': size is '-5'; must be a number, not negative"));
  EXPECT_THAT(refused_as("dot", "digraph {\n a [size=nan];\n}"), HasSubstr("2:1: node 'a': size is 'nan'"));
  EXPECT_THAT(refused_as("dot", "digraph {\n a [size=\"1e30\"];\n}"), HasSubstr("2:1: node 'a': size is '1e30'"));
  EXPECT_THAT(refused_as("dot", "digraph {\n a [size=1];\n a [size=2];\n}"), HasSubstr("node 'a' has two sizes, the second '2'"));
  EXPECT_THAT(refused_as("dot", "digraph {\n a -> b [size=x];\n}"), HasSubstr("2:1: edge a -> b: size is 'x'"));
  EXPECT_THAT(refused_as("dot", "digraph {}"), HasSubstr("has no tasks"));
  EXPECT_THAT(refused_as("dot", ""), HasSubstr("is empty"));
}

struct Wrong {
  const char* text;
  const char* told;
};

TEST(DotFile, FaultsAreLocated) {
  for (const Wrong& one : {
           Wrong{"graph { a -- b }", "f:1:1: the graph is undirected; dependencies need a 'digraph'"},
           Wrong{"digraph { a -- b }", "f:1:13: '--' is an edge without direction; dependencies need '->'"},
           Wrong{"tree { }", "f:1:1: must begin with 'digraph', not 'tree'"},
           Wrong{"digraph {\n a -> b;\n", "f:3:1: a '}' is missing: the file ends within the graph"},
           Wrong{"digraph { a -> }", "f:1:16: a name must stand here, not '}'"},
           Wrong{"digraph { a [size=1 }", "f:1:21: a name must stand here, not '}'"},
           Wrong{"digraph { a [label=\"x }", "f:1:20: the quote that opens here is not closed"},
           Wrong{"digraph { /* x }", "f:1:11: the comment that opens here is not closed"},
           Wrong{"digraph { a } digraph { b }", "f:1:15: only one graph is read; 'digraph' stands behind its end"},
           Wrong{"digraph { a [size=1e30] }", "f:1:19: the number '1' runs into what follows; quotes make it one word"},
           Wrong{"digraph { a ! b }", "f:1:13: '!' does not belong in a graph in the DOT language"},
           Wrong{"digraph { a -> <b }", "f:1:16: the '<' that opens here is not closed"},
       }) {
    try {
      parse_dot("f", one.text);
      ADD_FAILURE() << one.text;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), one.told) << one.text;
    }
  }
}

TEST(DotFile, ReadsTheWholeLanguage) {
  const DotGraph graph = parse_dot("f", R"(/* head */ strict DiGraph "a name" {
// a comment
# another
  rankdir=LR; node [shape=box, kind = x] edge [w=1]
  "a \"quoted\" one":n -> b:port:sw -> { c d } [size=7]
  subgraph cluster_1 { node [kind=y]; e; f -> g }
  h [label=<<b>bold</b>> x="one" + "two"]; -1.5 [size=3]
  b [size=9]
})");
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.push_back(node.id);
  EXPECT_EQ(names, (std::vector<std::string>{"a \"quoted\" one", "b", "c", "d", "e", "f", "g", "h", "-1.5"}));
  ASSERT_EQ(graph.edges.size(), 4u);
  EXPECT_EQ(graph.edges[0].from, 0u);
  EXPECT_EQ(graph.edges[2].to, 3u);
  EXPECT_EQ(graph.edges[2].attributes, (DotGraph::Attributes{{"w", "1"}, {"size", "7"}}));
  EXPECT_EQ(graph.nodes[4].attributes.back(), (std::pair<std::string, std::string>{"kind", "y"}));
  EXPECT_EQ(graph.nodes[7].attributes.back(), (std::pair<std::string, std::string>{"x", "onetwo"}));
  EXPECT_EQ(graph.nodes[1].attributes.back(), (std::pair<std::string, std::string>{"size", "9"}));
  EXPECT_EQ(graph.nodes[8].line, 7);
}

TEST(DotFile, DeepSubgraphsAreRefusedBeforeTheStackIs) {
  std::string text = "digraph ";
  for (int i = 0; i < 100'000; ++i) text += "{";
  EXPECT_THROW(parse_dot("f", text), InputError);
}

TEST(DotImport, TimesComeByName) {
  const TemporaryFile times("name,time_us\na,2.5\nb*,4\n", "times.csv");
  const Imported read = read_as("dot", "digraph { a -> b1; a -> b2 -> c }", {.with = times.path()});
  EXPECT_EQ(time_of(read.graph, "a"), 2500);
  EXPECT_EQ(time_of(read.graph, "b2"), 4000);
  EXPECT_EQ(read.graph[task_called(read.graph, "c")].kernel, Kernel::kEmpty);
  EXPECT_TRUE(has_remark(read, "1 task that no row of"));
  const TemporaryFile wrong("name,time_us\nx,2.5\n", "times.csv");
  EXPECT_THAT(refused_as("dot", "digraph { a }", {.with = wrong.path()}), HasSubstr("times.csv:2:1: no task"));
  const TemporaryFile twice("name,time_us,time_us\n*,1,2\n", "times.csv");
  EXPECT_THAT(refused_as("dot", "digraph { a }", {.with = twice.path()}), HasSubstr("times.csv:1:14: the column 'time_us' stands twice"));
  const TemporaryFile two("name,time_us,time_ns\n*,1,2\n", "times.csv");
  EXPECT_THAT(refused_as("dot", "digraph { a }", {.with = two.path()}), HasSubstr("several columns of time"));
}

TEST(DotImport, NamesAreMadePrintableAndUnique) {
  const Imported read = read_as("dot", "digraph { \"a\tb\" -> \"a b\" -> \"\xff\" }");
  EXPECT_EQ(edges_of(read.graph), (Edges{"a b#0>a b#1", "a b#1>\xEF\xBF\xBD"}));
}

}  // namespace
}  // namespace tasktwin::scenarios
