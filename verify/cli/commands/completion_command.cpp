#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/names.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

namespace {

enum class Shell { kBash, kZsh, kFish };

/// bash has taken "--name=value" apart at the "=" (COMP_WORDBREAKS); compopt works only while the shell completes.
constexpr std::string_view kBash = R"(# bash completion for tasktwin
_tasktwin() {
  local current=${COMP_WORDS[COMP_CWORD]} line
  [[ $current == = ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files)
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
        ;;
      :dirs)
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current")
        ;;
      *=)
        compopt -o nospace 2>/dev/null
        COMPREPLY+=("$line")
        ;;
      *)
        COMPREPLY+=("${line%%$'\t'*}")
        ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tasktwin tasktwin
)";

constexpr std::string_view kZsh = R"(#compdef tasktwin
_tasktwin() {
  local line word files=
  local -a found
  for line in "${(@f)$(${(Q)words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) files=all ;;
      :dirs) files=folders ;;
      *)
        word=${line%%$'\t'*}
        if [[ $line == *$'\t'* ]]; then
          found+=("${word//:/\\:}:${line#*$'\t'}")
        else
          found+=("${word//:/\\:}")
        fi
        ;;
    esac
  done
  (( $#found )) && _describe tasktwin found
  [[ $files == all ]] && _files
  [[ $files == folders ]] && _files -/
  return 0
}
if [[ $funcstack[1] == _tasktwin ]]; then
  _tasktwin "$@"
else
  compdef _tasktwin tasktwin
fi
)";

constexpr std::string_view kFish = R"(# fish completion for tasktwin
function __tasktwin_candidates
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  test (count $current) -eq 0; and set current ''
  for line in ($words[1] __complete $words[2..-1] $current 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path $current
      case ':dirs'
        __fish_complete_directories $current
      case '*'
        echo $line
    end
  end
end
complete -c tasktwin -f -a '(__tasktwin_candidates)'
)";

}  // namespace

}  // namespace tasktwin::verify

namespace tasktwin {

template <>
struct Words<verify::Shell> {
  static constexpr std::array entries{
      std::pair{verify::Shell::kBash, std::string_view{"bash"}},
      std::pair{verify::Shell::kZsh, std::string_view{"zsh"}},
      std::pair{verify::Shell::kFish, std::string_view{"fish"}},
  };
};

}  // namespace tasktwin

namespace tasktwin::verify {

namespace {

class CompletionCommand : public Command {
 public:
  explicit CompletionCommand(CLI::App& app) {
    add_words(app, "SHELL", shell_, "the shell that is to complete");
    app.get_option("SHELL")->required();
    app.footer(
        "Prints a script that completes commands, options, their words, scenarios, designs and files for the shell that reads it.\n"
        "It asks the executable for candidates, so it stays right when that changes.\n"
        "\n"
        "For good: tasktwin completion bash > ~/.local/share/bash-completion/completions/tasktwin; for zsh into a file _tasktwin in a\n"
        "folder of $fpath; for fish into ~/.config/fish/completions/tasktwin.fish.\n"
        "Example: tasktwin completion bash\n"
        "Example: source <(tasktwin completion bash)");
  }

  int run() override {
    print(shell_ == Shell::kBash ? kBash : shell_ == Shell::kZsh ? kZsh : kFish);
    return 0;
  }

 private:
  Shell shell_ = Shell::kBash;
};

}  // namespace

std::unique_ptr<Command> make_completion_command(CLI::App& app) { return std::make_unique<CompletionCommand>(app); }

}  // namespace tasktwin::verify
