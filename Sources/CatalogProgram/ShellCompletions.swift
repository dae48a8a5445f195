import CatalogApp

/// The completions of a shell, generated from the list of options; the program itself completes commands.
struct ShellCompletions {
  /// A shell that completes the arguments of programs.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  private let shell: Shell

  init(_ shell: Shell) { self.shell = shell }

  /// The file that the shell reads.
  var text: String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private static let note = "# Written by: catalog --completions"

  /// The spellings of an option: `-e`, or `--name`; `-h` is built in.
  private static func spelling(_ option: OptionDescription) -> String {
    option.letter.map { $0 == "h" ? "--\(option.name)" : "-\($0)" } ?? "--\(option.name)"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }

  // MARK: bash

  private var bash: String {
    let cases = OptionDescription.all.filter { $0.argument != nil }.map { option in
      let action =
        switch option.completion {
        case .none: "return"
        case .files: "_catalog_files; return"
        case .names: "_catalog_names; return"
        case .words(let words): "_catalog_words '\(words.joined(separator: " "))'; return"
        }
      return "    \(Self.spelling(option))) \(action) ;;"
    }
    let options = OptionDescription.all.map(Self.spelling).joined(separator: " ")
    return """
      # bash completion for catalog                                    -*- shell-script -*-
      \(Self.note) bash

      _catalog_words() {
        # shellcheck disable=SC2207  # neither options nor commands contain white space
        COMPREPLY=($(compgen -W "$1" -- "$current"))
      }

      _catalog_files() {
        local file
        compopt -o filenames 2>/dev/null
        while IFS= read -r file; do
          COMPREPLY+=("$file")
        done < <(compgen -f -- "$current")
      }

      # The program itself knows the commands, entities, fields and values that can follow.
      _catalog_names() {
        local name
        compopt -o nospace 2>/dev/null
        while IFS= read -r name; do
          [[ $current == \\"* ]] && name=${name//\\"/\\\\\\"}
          COMPREPLY+=("$name")
        done < <("${COMP_WORDS[0]}" --complete "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
        # The only match would close the quote, although the command may go on.
        if [[ ${#COMPREPLY[@]} -eq 1 && $current == [\\'\\"]* ]]; then
          COMPREPLY+=("${COMPREPLY[0]} ")
        fi
      }

      _catalog() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        COMPREPLY=()
        case $previous in
      \(cases.joined(separator: "\n"))
        esac
        case $current in
          -*) _catalog_words '\(options)' ;;
          *) _catalog_files ;;
        esac
      }

      complete -F _catalog catalog

      """
  }

  // MARK: zsh

  private var zsh: String {
    let options = OptionDescription.all.map { "  \(Self.zshOption($0)) \\" }
    return """
      #compdef catalog
      \(Self.note) zsh

      # The program itself knows the commands, entities, fields and values that can follow.
      _catalog_names() {
        local -a names
        names=("${(@f)$("$words[1]" --complete "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
        names=(${names:#})
        compadd -S '' -a names
      }

      _arguments -S \\
      \(options.joined(separator: "\n"))
        ':location:_files'

      """
  }

  private static func zshOption(_ option: OptionDescription) -> String {
    let summary = option.summary.replacing("[", with: "(").replacing("]", with: ")")
      .replacing(":", with: "\\:")
    let isLast = ["help", "version", "completions"].contains(option.name)
    let isRepeated = option.summary.contains("can be repeated")
    let prefix = isLast ? "(- *)" : isRepeated ? "*" : ""
    let argument = option.argument.map { name in
      switch option.completion {
      case .none: ":\(name.lowercased()):"
      case .files: ":\(name.lowercased()):_files"
      case .names: ":\(name.lowercased()):_catalog_names"
      case .words(let words): ":\(name.lowercased()):(\(words.joined(separator: " ")))"
      }
    }
    return quoted("\(prefix)\(spelling(option))[\(summary)]\(argument ?? "")")
  }

  // MARK: fish

  private var fish: String {
    let lines = OptionDescription.all.map { option in
      let name = option.letter == "e" ? "-s e" : "-l \(option.name)"
      let argument =
        switch option.completion {
        case .none: option.argument == nil ? "" : " -x"
        case .files: " -r -F"
        case .names: " -x -a '(catalog --complete (commandline -cp) 2>/dev/null)'"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        }
      return "complete -c catalog \(name)\(argument) -d \(Self.fishQuoted(option.summary))"
    }
    return "# fish completion for catalog\n\(Self.note) fish\n\n"
      + lines.joined(separator: "\n") + "\n"
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
