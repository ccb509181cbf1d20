#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "models/dependences/judged_order.hpp"
#include "scenarios/importers/importers.hpp"
#include "tests/scenarios/imports/kineto_text.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kCaptureHead =
    "\"tasktwin_capture\":{\"version\":1,\"ended\":\"normally\",\"memory\":[{\"address\":4096,\"bytes\":1024},"
    "{\"address\":8192,\"bytes\":1024},{\"address\":12288,\"bytes\":1024},{\"address\":65536,\"bytes\":4096,\"host\":true}]},";

/// What tasktwin's own captures say of memory.
class CaptureText {
 public:
  /// A kernel with its launch; each pointer is a parameter of its own.
  CaptureText& kernel(const std::string& name, int stream, const std::vector<int>& pointers, const std::string& more = "") {
    std::string list;
    for (std::size_t i = 0; i < pointers.size(); ++i)
      list += (i == 0 ? "[" : ",[") + std::to_string(i) + ",0," + std::to_string(pointers[i]) + "]";
    call("cudaLaunchKernel", stream, R"("op":"kernel")" + (pointers.empty() ? "" : R"(,"pointers":[)" + list + "]") + more);
    text_.kernel(name, correlation_, stream, time_ + 10, 20);
    return *this;
  }
  CaptureText& copy(int stream, int source, int target, int bytes, const std::string& name, const std::string& more = "") {
    call("cudaMemcpyAsync", stream,
         R"("op":"memcpy","src":)" + std::to_string(source) + ",\"dst\":" + std::to_string(target) + ",\"bytes\":" + std::to_string(bytes) +
             more);
    text_.copy(name, correlation_, stream, time_ + 10, 20);
    return *this;
  }
  CaptureText& call(const std::string& name, int stream, const std::string& arguments) {
    time_ += 100;
    text_.call(name, ++correlation_, time_, 5, 1, ",\"call_stream\":" + std::to_string(stream) + "," + arguments);
    return *this;
  }
  int last() const { return correlation_; }
  std::string text() const { return text_.text(kCaptureHead); }

 private:
  KinetoText text_;
  int correlation_ = 0;
  double time_ = 0;
};

std::vector<std::pair<std::size_t, std::size_t>> pairs(const ProgramNeeds& needs) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const Dependence& one : needs.dependences) found.emplace_back(index(one.before), index(one.after));
  return found;
}

std::string why_refused(const std::string& text, const ImportOptions& options) {
  const TemporaryFile file(text, "trace.json");
  try {
    import_file(file.path(), "", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CaptureMemory, OfKernelsIsReadAndWrittenAsTheTypesOfTheirParametersSay) {
  const Imported run = imported(CaptureText()
                                    .kernel("axpy(float const*, float*)", 7, {4096, 8192})
                                    .kernel("axpy(float const*, float*)", 8, {4096, 12288})
                                    .kernel("add(float const*, float const*)", 7, {8192 + 512, 12288})
                                    .text());
  ASSERT_TRUE(run.needs);
  EXPECT_THAT(pairs(*run.needs), ElementsAre(std::pair(0, 2), std::pair(1, 2)));
  EXPECT_EQ(run.needs->typed, 3u);
}

TEST(CaptureMemory, OfKernelsWithoutTypesIsTakenToBeWritten) {
  const Imported run = imported(CaptureText().kernel("nvjet_tst", 7, {4096, 8192}).kernel("nvjet_tst", 7, {4096, 12288}).text());
  EXPECT_THAT(pairs(*run.needs), ElementsAre(std::pair(0, 1)));
  EXPECT_EQ(run.needs->by_pointer, 2u);
}

TEST(CaptureMemory, OfCopiesIsKnownExactlyAndTellsWhatTheHostMayUse) {
  const Imported run = imported(CaptureText()
                                    .copy(7, 65536, 4096, 512, "Memcpy HtoD (Pinned -> Device)")
                                    .kernel("f(float const*)", 7, {4096})
                                    .copy(7, 65536, 4096 + 512, 512, "Memcpy HtoD (Pinned -> Device)")
                                    .text());
  EXPECT_EQ(run.needs->exact, 2u);
  EXPECT_THAT(pairs(*run.needs), ElementsAre(std::pair(0, 1), std::pair(1, 2)));
  EXPECT_THAT(run.needs->accesses.with_host, ElementsAre(true, false, true));
}

TEST(CaptureMemory, IsThatOfItsAllocationWhereItIsGivenOutAgain) {
  CaptureText text;
  text.kernel("f(float*)", 7, {8192});
  text.call("cudaFreeAsync", 7, R"("op":"free_async","address":8192)");
  text.call("cudaMallocAsync", 8, R"("op":"malloc_async","address":8192,"bytes":1024)");
  text.kernel("f(float*)", 8, {8192});
  const Imported run = imported(text.text());
  ASSERT_TRUE(run.needs.has_value());
  ASSERT_THAT(run.needs->dependences, SizeIs(1));
  EXPECT_EQ(run.needs->dependences[0].kind, DependenceKind::kReuse);
  ASSERT_THAT(run.needs->frees, SizeIs(1));
  EXPECT_THAT(run.needs->frees[0].users, ElementsAre(task_id(0)));
}

TEST(CaptureMemory, IsATensorsWhereTheFileSaysWhich) {
  const Imported run = imported(CaptureText()
                                    .kernel("f(float*)", 7, {4096}, R"(,"tensors":[[1,0,256]])")
                                    .kernel("f(float*)", 8, {4096 + 512}, R"(,"tensors":[[2,0,256]])")
                                    .kernel("f(float const*)", 7, {4096 + 64}, R"(,"tensors":[[1,64,256]])")
                                    .kernel("f(float*)", 7, {4096}, R"(,"tensors":[[3,0,512]])")
                                    .text());
  // The last reads and writes what others' tensors have been.
  EXPECT_THAT(pairs(*run.needs), ElementsAre(std::pair(0, 2), std::pair(0, 3), std::pair(2, 3)));
  EXPECT_EQ(run.needs->dependences[0].kind, DependenceKind::kReadAfterWrite);
  EXPECT_EQ(run.needs->dependences[2].kind, DependenceKind::kReuse);
}

TEST(CaptureMemory, MayBeAnyWhereNoAllocationHasIt) {
  const Imported run = imported(CaptureText().kernel("f(float*)", 7, {4096}).kernel("f(float*)", 8, {1 << 20}).text());
  EXPECT_EQ(run.needs->unknown, 1u);
  EXPECT_THAT(pairs(*run.needs), ElementsAre(std::pair(0, 1)));
}

TEST(CaptureMemory, MayBeAnyWhereAPointerIsToPointers) {
  const std::string text =
      CaptureText().kernel("gather(i64**, f32**)", 7, {4096, 8192}).kernel("axpy(float const*, float*)", 8, {12288, 12288}).text();
  const Imported run = imported(text);
  EXPECT_EQ(run.needs->unknown, 1u);
  EXPECT_THAT(pairs(*run.needs), ElementsAre(std::pair(0, 1)));
  const TemporaryFile effects("effects:\n  - kernel: gather\n    pointers: [read, read]\n", "effects.yaml");
  EXPECT_EQ(imported(text, {.effects = effects.path()}).needs->unknown, 1u);
}

/// Its work is in memory, where its arguments do not say which buffers it is about.
TEST(CaptureMemory, MayBeAnyOfACollectiveWithoutBuffersAmongItsArguments) {
  const std::string name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const auto unknown = [&name](const std::string& pointers) {
    CaptureText text;
    return imported(text.kernel(name, 7, {}, R"(,"pointers":)" + pointers).text()).needs->unknown;
  };
  EXPECT_EQ(unknown("[[0,0,4096],[0,24,8192]]"), 1u);
  EXPECT_EQ(unknown("[[0,0,4096],[0,72,8192],[0,80,12288]]"), 0u);
}

TEST(CaptureMemory, OfCopiesWithRowsApartIsAllOfTheAllocationsAndOfArraysAny) {
  CaptureText text;
  text.copy(7, 8192, 4096, 64, "Memcpy DtoD (Device -> Device)", R"(,"rows_apart":true)");
  text.kernel("f(float*)", 8, {12288});
  text.copy(9, 4096 + 512, 12288, 64, "Memcpy DtoD (Device -> Device)");
  const Imported run = imported(text.text());
  EXPECT_THAT(pairs(*run.needs), ElementsAre(std::pair(0, 2), std::pair(1, 2)));
  const Imported arrays = imported(CaptureText()
                                       .copy(7, 65536, 0, 64, "Memcpy HtoA (Pinned -> Array)")
                                       .kernel("f(float*)", 8, {12288})
                                       .copy(7, 0, 4096, 64, "Memcpy AtoD (Array -> Device)")
                                       .text());
  EXPECT_EQ(arrays.needs->unknown, 2u);
}

TEST(CaptureMemory, MayBeAnyWhereANumberMayBeATexture) {
  const std::string text = CaptureText()
                               .kernel("blur(float*, unsigned long long)", 7, {4096})
                               .kernel("spin(unsigned long long)", 8, {})
                               .kernel("f(float*)", 8, {8192})
                               .text();
  EXPECT_EQ(imported(text).needs->unknown, 1u);
  const TemporaryFile effects("effects:\n  - kernel: blur\n    pointers: [write]\n", "effects.yaml");
  EXPECT_EQ(imported(text, {.effects = effects.path()}).needs->unknown, 0u);
}

TEST(CaptureMemory, MakesAGraphOfWhatTasksNeed) {
  const std::string text = CaptureText()
                               .kernel("f(float*)", 7, {4096})
                               .kernel("f(float*)", 7, {8192})
                               .kernel("g(float const*, float const*)", 7, {4096, 8192})
                               .text();
  EXPECT_EQ(imported(text).graph.edge_count(), 2u);
  const Imported needed = imported(text, {.dependences = "needed"});
  EXPECT_THAT(needed.graph.predecessors(task_id(1)), IsEmpty());
  EXPECT_THAT(needed.graph.predecessors(task_id(2)), SizeIs(2));
  EXPECT_THAT(needed.remarks, Contains(HasSubstr("2 in place of 2 by order")));
}

TEST(CaptureMemory, IsAsAFileOfEffectsSays) {
  const TemporaryFile effects("effects:\n  - {kernel: nvjet*, pointers: [read, write]}\n", "effects.yaml");
  const std::string text = CaptureText().kernel("nvjet_tst", 7, {4096, 8192}).kernel("nvjet_tst", 8, {4096, 12288}).text();
  const Imported run = imported(text, {.effects = effects.path()});
  EXPECT_THAT(run.needs->dependences, IsEmpty());
  EXPECT_EQ(run.needs->stated, 2u);
}

TEST(CaptureMemory, OfAKernelThatOnlyWritesIsNotRead) {
  const TemporaryFile effects("effects:\n  - {kernel: nvjet*, pointers: [read, write]}\n", "effects.yaml");
  const Imported run = imported(CaptureText().kernel("nvjet_tst", 7, {4096, 8192}).kernel("nvjet_tst", 7, {12288, 8192}).text(),
                                {.effects = effects.path()});
  ASSERT_TRUE(run.needs.has_value());
  ASSERT_THAT(run.needs->dependences, SizeIs(1));
  EXPECT_EQ(run.needs->dependences[0].kind, DependenceKind::kWriteAfterWrite);
}

TEST(CaptureMemory, ThatIsFreedHasTheUsersOfItsTensors) {
  CaptureText text;
  text.kernel("f(float*)", 7, {8192}, R"(,"tensors":[[1,0,256]])");
  text.call("cudaFreeAsync", 7, R"("op":"free_async","address":8192)");
  text.kernel("f(float*)", 7, {4096}, R"(,"tensors":[[2,0,256]])");
  const Imported run = imported(text.text());
  ASSERT_TRUE(run.needs.has_value());
  ASSERT_THAT(run.needs->frees, SizeIs(1));
  EXPECT_THAT(run.needs->frees[0].users, ElementsAre(task_id(0)));
}

TEST(CaptureMemory, RefusesEffectsThatAreNone) {
  const std::string text = CaptureText().kernel("nvjet_tst", 7, {4096, 8192}).text();
  const auto with = [&](const std::string& yaml) {
    const TemporaryFile effects(yaml, "effects.yaml");
    return why_refused(text, {.effects = effects.path()});
  };
  EXPECT_THAT(with("effects:\n  - {kernel: gemm, pointers: [read]}\n"),
              HasSubstr("effects.yaml:2:5: effects[0].kernel: no kernel of the program goes by 'gemm'"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [read, write, read]}\n"), HasSubstr("was launched with 2 pointers"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [reads]}\n"), HasSubstr("read_write"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [read], at: [[0]]}\n"), HasSubstr("a place is the number of a parameter"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [read], at: [[0, 0], [1, 0]]}\n"), HasSubstr("2 places for 1 pointers"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [read], bytes: [1, 2]}\n"), HasSubstr("2 numbers for 1 pointers"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [read, write], at: [[0, 0], [0, 0]]}\n"),
              HasSubstr("at: the place stands twice"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [read, write], at: [[0, 0], [7, 4]]}\n"),
              HasSubstr("effects[0].at: no kernel that goes by 'nvjet*' was launched with a pointer at [7, 4]"));
  EXPECT_THAT(with("effects:\n  - {kernel: nvjet*, pointers: [read]}\n  - {kernel: '*', pointers: [read]}\n"),
              HasSubstr("effects[1].kernel: no kernel of the program, but those of earlier entries, goes by '*'"));
}

TEST(CaptureMemory, IsAskedOfFilesThatSayIt) {
  const std::string trace = KinetoText().launch("f", 1, 7, 100, 110, 20).launch("g", 2, 7, 200, 210, 20).text();
  EXPECT_THAT(why_refused(trace, {.dependences = "needed"}), HasSubstr("does not say which memory its work uses"));
  EXPECT_THAT(why_refused(trace, {.dependences = "true"}), HasSubstr("needed"));
}

}  // namespace
}  // namespace tasktwin::scenarios
