# bash completion for catalog                                    -*- shell-script -*-
# Written by: catalog --completions bash

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
    [[ $current == \"* ]] && name=${name//\"/\\\"}
    COMPREPLY+=("$name")
  done < <("${COMP_WORDS[0]}" --complete "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  # The only match would close the quote, although the command may go on.
  if [[ ${#COMPREPLY[@]} -eq 1 && $current == [\'\"]* ]]; then
    COMPREPLY+=("${COMPREPLY[0]} ")
  fi
}

_catalog() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  case $previous in
    --store) _catalog_words 'memory json csv log sqlite jsonl postgres'; return ;;
    --schema) _catalog_files; return ;;
    --read) return ;;
    --entity) _catalog_names; return ;;
    --script) _catalog_files; return ;;
    -e) _catalog_names; return ;;
    --format) _catalog_words 'table json jsonl csv tsv psv md html sql'; return ;;
    --null) return ;;
    --arg) return ;;
    --args-env) return ;;
    --answers) _catalog_words 'jsonl'; return ;;
    --to) _catalog_files; return ;;
    --at) return ;;
    --history) _catalog_words 'all none 100'; return ;;
    --author) return ;;
    --wait) return ;;
    --keys) _catalog_files; return ;;
    --size) _catalog_words '80x24 120x40'; return ;;
    --theme) _catalog_words 'dark light high-contrast none'; return ;;
    --config) _catalog_files; return ;;
    --completions) _catalog_words 'bash zsh fish'; return ;;
    --complete) return ;;
  esac
  case $current in
    -*) _catalog_words '--store --sample --tour --schema --read --strict-read --entity --script -e --format --no-header --null --quiet --arg --args-env --answers --atomic --dry-run --to --replace --keep-going --read-only --at --history --author --wait --keys --size --plain --pick --no-color --theme --config --completions --complete --help --version' ;;
    *) _catalog_files ;;
  esac
}

complete -F _catalog catalog
