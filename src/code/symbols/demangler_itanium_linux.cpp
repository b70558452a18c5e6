// SPDX-License-Identifier: BSD-3-Clause
// Demangles the C++ names of GCC and Clang with LLVM's parser. Such a name can refer to its earlier parts, and nested
// references can make its text larger than any memory. So each node of the parser also has an upper bound of the text
// that it can print, and a name with too much text is not printed.
#define DEMANGLE_ASSERT(condition, text) static_cast<void>(0)  // turns the assertions of LLVM's parser off
#include <llvm/Demangle/ItaniumDemangle.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "code/symbols/demangler.h"

namespace wperf::symbols {
namespace {

using llvm::itanium_demangle::ForwardTemplateReference;
using llvm::itanium_demangle::Node;
using llvm::itanium_demangle::NodeArray;

// The longest texts of real names have fewer than 100'000 characters.
constexpr double kMostText = 1 << 22;

// The largest output of a node. If a name uses a template argument before it defines the argument, the argument is
// unknown when the node is made, so its text is not part of `text`.
struct Bound {
  double text = 0;
  double later = 0;   // the number of later arguments
  size_t choice = 0;  // if the node prints one element of a parameter pack: the largest number of elements
};

// The memory of the parser's nodes. Each node has its bound in front of it.
class Nodes {
 public:
  void reset() {}

  template <class T, class... Args>
  T* makeNode(Args&&... args) {
    Bound bound = bound_of<T>(args...);
    bound.text += kOwnText;
    auto* const at = static_cast<std::byte*>(memory(sizeof(Header) + sizeof(T)));
    new (at) Header{bound};
    T* const node = new (at + sizeof(Header)) T(std::forward<Args>(args)...);
    if constexpr (std::is_same_v<T, ForwardTemplateReference>) later_.push_back(node);
    return node;
  }
  void* allocateNodeArray(size_t count) { return memory(sizeof(Node*) * count); }

  bool is_short(const Node& root) const {
    const Bound& bound = of(root);
    double longest = 0;  // of the later arguments
    for (const ForwardTemplateReference* const one : later_) {
      if (one->Ref == nullptr) continue;
      if (of(*one->Ref).later != 0) return false;  // the argument may contain itself
      longest = std::max(longest, of(*one->Ref).text);
    }
    const double later = bound.later == 0 ? 0 : bound.later * longest;
    return bound.text + later <= kMostText;
  }

 private:
  struct alignas(std::max_align_t) Header {
    Bound bound;
  };
  // The keywords and signs of a node are shorter than this.
  static constexpr double kOwnText = 96;
  static constexpr size_t kManyElements = 4096;  // more than a pack can have

  static const Bound& of(const Node& node) {
    return reinterpret_cast<const Header*>(reinterpret_cast<const std::byte*>(&node) - sizeof(Header))->bound;
  }

  template <class T, class... Args>
  static Bound bound_of(const Args&... args) {
    using namespace llvm::itanium_demangle;
    Bound bound;
    if constexpr (std::is_same_v<T, ForwardTemplateReference>) return {.later = 1, .choice = kManyElements};
    if constexpr (std::is_same_v<T, ParameterPack>) return bound_of_choice(args...);
    (add(args, bound), ...);
    constexpr bool kRepeats = std::is_same_v<T, ParameterPackExpansion> || std::is_same_v<T, SizeofParamPackExpr> ||
                              std::is_same_v<T, FoldExpr>;
    if constexpr (kRepeats) {
      const double times = static_cast<double>(std::max<size_t>(bound.choice, 1));
      return {.text = bound.text * times, .later = bound.later * times};
    }
    return bound;
  }
  static Bound bound_of_choice(const NodeArray& elements) {
    Bound most{.choice = elements.size()};
    for (const Node* const one : elements) {
      if (one == nullptr) continue;
      most.text = std::max(most.text, of(*one).text);
      most.later = std::max(most.later, of(*one).later);
      most.choice = std::max(most.choice, of(*one).choice);
    }
    return most;
  }
  template <class Arg>
  static void add(const Arg& arg, Bound& sum) {
    if constexpr (std::is_convertible_v<Arg, const Node*>) {
      add_node(arg, sum);
    } else if constexpr (std::is_same_v<Arg, NodeArray>) {
      for (const Node* const one : arg) add_node(one, sum);
    } else if constexpr (std::is_convertible_v<Arg, std::string_view>) {
      sum.text += static_cast<double>(std::string_view(arg).size());
    }
  }
  static void add_node(const Node* node, Bound& sum) {
    if (node == nullptr) return;
    sum.text += of(*node).text;
    sum.later += of(*node).later;
    sum.choice = std::max(sum.choice, of(*node).choice);
  }

  void* memory(size_t size) {
    size = (size + alignof(Header) - 1) / alignof(Header) * alignof(Header);
    if (size > left_) {
      constexpr size_t kBlock = 16384;
      left_ = std::max(size, kBlock);
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(left_));
      next_ = blocks_.back().get();
    }
    void* const at = next_;
    next_ += size;
    left_ -= size;
    return at;
  }

  alignas(Header) std::array<std::byte, 8192> first_;
  std::byte* next_ = first_.data();
  size_t left_ = sizeof first_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<const ForwardTemplateReference*> later_;
};

struct Parser : llvm::itanium_demangle::AbstractManglingParser<Parser, Nodes> {
  using AbstractManglingParser::AbstractManglingParser;
};

}  // namespace

std::optional<std::string> demangle_itanium(std::string_view name, NameParts parts) {
  Parser parser(name.data(), name.data() + name.size());
  const Node* const root = parser.parse(parts == NameParts::signature);
  if (root == nullptr || !parser.ASTAllocator.is_short(*root)) return std::nullopt;
  llvm::itanium_demangle::OutputBuffer out;
  root->print(out);
  std::string text(out.getBuffer(), out.getCurrentPosition());
  std::free(out.getBuffer());
  return text;
}

}  // namespace wperf::symbols
