#include "scenarios/importers/cuda_graph_dot.hpp"

#include <gmock/gmock.h>

#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

std::string kernel(int node, const std::string& launch) {
  return "\"graph_1_node_" + std::to_string(node) + "\"[style=\"bold\" shape=\"record\" label=\"{KERNEL\n| {ID | " + std::to_string(node) +
         " (topoId: 3) | " + launch + "}\n| {{node handle | func handle} | {0x1 | 0x2}}\n| {priority | 0}\n}\"];\n";
}

std::string graph_of(const std::string& body) {
  return "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n" + body + "}\n}\n";
}

const std::string kTwo =
    kernel(0, R"(gemm\<\<\<\{2,64\},384,221508\>\>\>)") + kernel(1, R"(norm\<\<\<512,\{32,4\},24\>\>\>)") +
    "\"graph_1_node_2\"[label=\"{MEMSET\n| {{ID | node handle | dptr | pitch | value | elementSize | width | height} | "
    "{2 (topoId: 1) | 0x3 | 0x4 | 0 | 0 | 4 | 16 | 2}}}\"];\n"
    "\"graph_1_node_3\"[label=\"{EMPTY\n| {ID | 3}}\"];\n"
    "\"graph_1_node_0\" -> \"graph_1_node_1\" [headlabel=0];\n\"graph_1_node_1\" -> \"graph_1_node_3\";\n"
    "\"graph_1_node_2\" -> \"graph_1_node_3\";\n";

TEST(CudaGraphDot, ReadsGridsAndBytes) {
  const Imported read = read_as("cuda-graph-dot", graph_of(kTwo));
  ASSERT_EQ(read.graph.size(), 4u);
  EXPECT_EQ(edges_of(read.graph),
            (std::set<std::string>{"gemm>norm", "norm>EMPTY graph_1_node_3", "MEMSET graph_1_node_2>EMPTY graph_1_node_3"}));
  const TaskTraits& gemm = read.graph.traits(task_called(read.graph, "gemm"));
  EXPECT_EQ(gemm.blocks, 128);
  EXPECT_EQ(gemm.threads, 384);
  EXPECT_EQ(gemm.shared_memory, 221'508);
  EXPECT_EQ(read.graph.traits(task_called(read.graph, "norm")).threads, 128);
  EXPECT_EQ(read.graph[task_called(read.graph, "MEMSET graph_1_node_2")].cost.bytes.count, 128);
  EXPECT_TRUE(has_remark(read, "the file has no times: 2 kernels with empty bodies"));
  EXPECT_TRUE(has_remark(read, "1 node of kind EMPTY: no time"));
}

TEST(CudaGraphDot, ReadsThatAKernelIsLaunchedCooperatively) {
  const auto said = [](const std::string& flag) {
    std::string text = kernel(0, R"(gemm\<\<\<4,128,0\>\>\>)");
    return text.replace(text.find("| {priority"), 0, flag);
  };
  const auto cooperative = [&](const std::string& flag) {
    const Imported read = read_as("cuda-graph-dot", graph_of(said(flag)));
    return read.graph.traits(task_called(read.graph, "gemm")).cooperative;
  };
  EXPECT_TRUE(cooperative("| {cooperative | 1}\n"));
  EXPECT_FALSE(cooperative("| {cooperative | 0}\n"));
  EXPECT_FALSE(cooperative(""));
  const ImportedGraph timed =
      read_cuda_graph_dot("f", graph_of(said("| {cooperative | 1}\n")), {{{"gemm#0", {.cost = {.time = Duration{5}}}, {.blocks = 7}}}});
  EXPECT_EQ(timed.nodes[0].traits.blocks, 7);
  EXPECT_TRUE(timed.nodes[0].traits.cooperative) << "the trace does not say";
}

DeviceRun run(const std::string& name, std::int64_t ns, Operation operation = Operation::kKernel) {
  return {name, {.cost = {.time = Duration{ns}}, .operation = operation}, {.blocks = 7}};
}

TEST(CudaGraphDot, TimesAreMeansOfTheLaunchesByOrder) {
  const auto runs = [](std::int64_t gemm, std::int64_t norm) {
    return std::vector<DeviceRun>{run("Memset", 9, Operation::kMemset), run("void a::norm<int>(int)#3", norm), run("gemm#2", gemm)};
  };
  ImportedGraph read = read_cuda_graph_dot("f", graph_of(kTwo), {runs(100, 10), runs(200, 30)});
  EXPECT_EQ(read.nodes[0].task.cost.time, Duration{150});
  EXPECT_EQ(read.nodes[0].traits.blocks, 7);
  EXPECT_EQ(read.nodes[1].task.cost.time, Duration{20});
  EXPECT_EQ(read.nodes[2].task.operation, Operation::kMemset);
  EXPECT_EQ(read.nodes[2].task.cost.time, Duration{9});
  EXPECT_EQ(read.nodes[3].task.cost.time, Duration{0});
  EXPECT_THAT(read.remarks.back(), HasSubstr("means over 2 launches"));
  try {
    read_cuda_graph_dot("f", graph_of(kTwo), {{run("gemm", 1)}});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("node 'graph_1_node_1' has no run in launch 1 of the trace, which has 1 runs for 4 nodes: none is left that is "
                          "called 'norm'"));
  }
}

/// As CUDA 13.0 prints it without the flags that ask for more; `launch` as the flag for kernels' parameters adds it.
std::string plain_kernel(const std::string& graph, int node, const std::string& function, const std::string& launch = "") {
  return "\"" + graph + "_node_" + std::to_string(node) + "\"[style=\"bold\" shape=\"octagon\" label=\"" + std::to_string(node) + "\n" +
         function + "\n" + launch + "\"];\n\n";
}

std::string plain_node(const std::string& graph, int node, const std::string& text, const std::string& more = "") {
  return "\"" + graph + "_node_" + std::to_string(node) + "\"[style=\"solid\" shape=\"rectangle\"label=\"" + std::to_string(node) + more +
         "\n" + text + "\n\"];\n\n";
}

TEST(CudaGraphDot, ReadsWhatIsPrintedWithoutFlags) {
  const Imported read =
      read_as("cuda-graph-dot", graph_of(plain_node("graph_1", 0, "MEMSET\n(0,4096)") + plain_kernel("graph_1", 1, "_Z5firstPi") +
                                         plain_kernel("graph_1", 2, "_ZN2ns6secondIiEEvPT_i", R"(\<\<\<4,\{8,4\},128\>\>\>)") +
                                         plain_node("graph_1", 3, "MEMCPY\n(DtoH,512)") + plain_node("graph_1", 4, "HOST", " (topoId: 2)") +
                                         "\"graph_1_node_0\" -> \"graph_1_node_1\";\n\"graph_1_node_1\" -> \"graph_1_node_3\";\n"));
  ASSERT_EQ(read.graph.size(), 5u);
  EXPECT_EQ(read.graph[task_id(0)].operation, Operation::kMemset);
  EXPECT_EQ(read.graph[task_id(0)].cost.bytes.count, 4096);
  EXPECT_EQ(read.graph.name(task_id(1)), "_Z5firstPi");
  EXPECT_EQ(read.graph.traits(task_id(2)).blocks, 4);
  EXPECT_EQ(read.graph.traits(task_id(2)).threads, 32);
  EXPECT_EQ(read.graph[task_id(3)].operation, Operation::kCopyD2h);
  EXPECT_EQ(read.graph[task_id(3)].cost.bytes.count, 512);
  EXPECT_EQ(read.graph[task_id(4)].operation, Operation::kHost);
  EXPECT_TRUE(has_remark(read, "1 kernel whose label has no grid: one block each"));
  EXPECT_TRUE(has_remark(read, "the file has no times: 2 kernels with empty bodies"));
}

TEST(CudaGraphDot, GraphsWithinGraphsAreJoined) {
  const std::string outer = plain_kernel("graph_1", 0, "before") + plain_node("graph_1", 1, "graph_2") +
                            plain_kernel("graph_1", 2, "after") +
                            "\"graph_1_node_0\" -> \"graph_1_node_1\";\n\"graph_1_node_1\" -> \"graph_1_node_2\";\n";
  const auto with = [&outer](const std::string& inner) { return "digraph dot {\n" + outer + inner + "}\n"; };
  const Imported read = read_as("cuda-graph-dot", with(plain_kernel("graph_2", 0, "in") + plain_kernel("graph_2", 1, "side") +
                                                       plain_kernel("graph_2", 2, "out") + "\"graph_2_node_0\" -> \"graph_2_node_2\";\n"));
  EXPECT_EQ(edges_of(read.graph),
            (std::set<std::string>{"before>graph_2 graph_1_node_1", "graph_2 graph_1_node_1>in", "graph_2 graph_1_node_1>side", "in>out",
                                   "graph_2 graph_1_node_1>after", "out>after", "side>after"}));
  EXPECT_THAT(refused_as("cuda-graph-dot", with("")), HasSubstr("is graph_2, which the file does not have"));
  EXPECT_THAT(refused_as("cuda-graph-dot", with(plain_node("graph_2", 0, "graph_2"))), HasSubstr("graph_2 is within itself"));
}

/// decide -> a conditional node with these cases -> after, and the nodes of other graphs.
std::string conditional(const std::string& type, const std::string& cases, const std::string& others) {
  return "digraph dot {\n" + kernel(0, R"(decide\<\<\<1,1,0\>\>\>)") +
         "\"graph_1_node_1\"[style=\"bold\" shape=\"record\" label=\"{\nCONDITIONAL\n| {ID | 1 (topoId: 1)}\n| {node handle| 0x0A100}\n"
         "| {Conditional Handle|1}\n| {Conditional Type| " +
         type + "}\n" + cases + "}\n\"];\n" + kernel(2, R"(after\<\<\<1,1,0\>\>\>)") +
         "\"graph_1_node_0\" -> \"graph_1_node_1\";\n\"graph_1_node_1\" -> \"graph_1_node_2\";\n" + others + "}\n";
}

TEST(CudaGraphDot, TheBodyOfAConditionalNodeRunsBetweenWhatDecidesAndWhatComesAfter) {
  const std::string body = plain_kernel("graph_2", 0, "body");
  const Imported read = read_as("cuda-graph-dot", conditional("IF", "| {0|  graph_2}\n", body));
  const std::string node = "CONDITIONAL graph_1_node_1";
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"decide>" + node, node + ">body", node + ">after", "body>after"}));
  EXPECT_TRUE(has_remark(read, "1 conditional node of type IF: no time; what it decides on is taken to run"));
  EXPECT_FALSE(has_remark(read, "for graphs of their own"));
  EXPECT_TRUE(has_remark(read_as("cuda-graph-dot", conditional("WHILE", "| {0| graph_2}\n", body)), "the body is taken to run once"));
}

TEST(CudaGraphDot, OfTheCasesOfASwitchOneRuns) {
  const std::string inner = "\"graph_4_node_1\"[shape=\"record\" label=\"{CONDITIONAL\n| {Conditional Type| IF}\n| {0| graph_5}}\"];\n";
  const Imported read = read_as(
      "cuda-graph-dot", conditional("SWITCH", "| {0| graph_2}\n| {1| graph_3}\n| {2| graph_4}\n",
                                    plain_kernel("graph_3", 0, "first") + plain_kernel("graph_3", 1, "second") +
                                        "\"graph_3_node_0\" -> \"graph_3_node_1\";\n" + plain_kernel("graph_4", 0, "other") + inner +
                                        "\"graph_4_node_0\" -> \"graph_4_node_1\";\n" + plain_kernel("graph_5", 0, "within_other")));
  const std::string node = "CONDITIONAL graph_1_node_1";
  EXPECT_EQ(edges_of(read.graph),
            (std::set<std::string>{"decide>" + node, node + ">first", "first>second", node + ">after", "second>after"}));
  EXPECT_TRUE(has_remark(read, "of the 3 cases of graph_1_node_1 one runs: graph_3 is taken, the first that has nodes"));
  EXPECT_TRUE(has_remark(read, "3 nodes of cases that do not run left out"));
}

TEST(CudaGraphDot, NamesAreComparedByTheirFunctionAlone) {
  EXPECT_EQ(function_name("_ZN2at6native28vectorized_layer_norm_kernelIfEEvT_"), "vectorized_layer_norm_kernel");
  EXPECT_EQ(function_name("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(float)#12"),
            "vectorized_layer_norm_kernel");
  EXPECT_EQ(function_name("nvjet_sm90_hsh_96x64"), "nvjet_sm90_hsh_96x64");
  const std::string whole = "cudnn_generated_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0";
  EXPECT_EQ(function_name(whole), function_name(whole.substr(0, 90) + "...#7"));
}

TEST(CudaGraphDot, FaultsAreLocated) {
  EXPECT_THAT(refused_as("cuda-graph-dot", graph_of(kernel(0, "gemm"))),
              HasSubstr("4:1: node 'graph_1_node_0' is a kernel whose label has no name<<<"));
  EXPECT_THAT(refused_as("cuda-graph-dot", graph_of(kernel(0, R"(k\<\<\<0,1,0\>\>\>)"))), HasSubstr("has a grid or block of no size"));
  for (const char* const grid :
       {R"(\{-0,1\},1,0)", R"(-0,1,0)", R"(\{1,-0\},1,0)", R"(+1,1,0)", R"(1.5,1,0)", R"( 1,1,0)", R"(1,1)", R"(,,)"}) {
    EXPECT_THAT(refused_as("cuda-graph-dot", graph_of(kernel(0, R"(k\<\<\<)" + std::string(grid) + R"(\>\>\>)"))),
                HasSubstr("4:1: node 'graph_1_node_0' is a kernel whose label has no name<<<"))
        << grid;
  }
  EXPECT_THAT(refused_as("cuda-graph-dot", graph_of("a -> b;")), HasSubstr("node 'a' is not called as cudaGraphDebugDotPrint does"));
  EXPECT_THAT(refused_as("cuda-graph-dot", graph_of("\"graph_1_node_0\";")), HasSubstr("has no label"));
  std::string huge = graph_of(kTwo);
  huge.replace(huge.find("| 16 | 2}"), 9, "| 9223372036854775807 | 9223372036854775807}");
  EXPECT_TRUE(has_remark(read_as("cuda-graph-dot", huge), "1 copies and memsets whose label does not say how much"))
      << "a product beyond what is taken is none";
  const std::string whole = graph_of(kTwo);
  EXPECT_THAT(refused_as("cuda-graph-dot", whole.substr(0, whole.size() - 3)), HasSubstr("a '}' is missing"));
}

}  // namespace
}  // namespace tasktwin::scenarios
