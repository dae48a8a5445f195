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

_catalog() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  case $previous in
    --store) _catalog_words 'memory json log'; return ;;
    --schema) _catalog_files; return ;;
    --entity) return ;;
    --script) _catalog_files; return ;;
    -e) _catalog_words 'list count show stats freq entities schema history status changes expect check help insert upsert set duplicate delete undo redo rollback revert conflicts resolve recover import each entity field save saveas export compact quit'; return ;;
    --format) _catalog_words 'table json jsonl csv tsv'; return ;;
    --arg) return ;;
    --args-env) return ;;
    --answers) _catalog_words 'jsonl'; return ;;
    --history) _catalog_words 'all none 100'; return ;;
    --keys) _catalog_files; return ;;
    --size) _catalog_words '80x24 120x40'; return ;;
    --theme) _catalog_words 'dark light none'; return ;;
    --config) _catalog_files; return ;;
    --completions) _catalog_words 'bash zsh fish'; return ;;
  esac
  case $current in
    -*) _catalog_words '--store --sample --schema --entity --script -e --format --arg --args-env --answers --atomic --dry-run --keep-going --read-only --history --keys --size --plain --no-color --theme --config --completions --help --version' ;;
    *) _catalog_files ;;
  esac
}

complete -F _catalog catalog
