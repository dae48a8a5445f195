# bash completion for catalog                                    -*- shell-script -*-

_catalog_words() {
  # shellcheck disable=SC2207  # neither options nor commands hold white space
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
    --format) _catalog_words 'table json jsonl csv tsv'; return ;;
    --size) _catalog_words '80x24 120x40'; return ;;
    --schema | --script | --keys | --config) _catalog_files; return ;;
    -e)
      _catalog_words 'list count show insert set duplicate delete save rollback undo redo conflicts resolve recover status history revert
        stats freq import export saveas entities schema entity field compact check help quit'
      return ;;
    --history) _catalog_words 'all none 100'; return ;;
    --theme) _catalog_words 'dark light none'; return ;;
    --entity) return ;;
  esac
  case $current in
    -*)
      _catalog_words '--store --sample --schema --entity --script -e --format --keep-going --read-only
        --history --keys --size --plain --no-color --theme --config --help --version' ;;
    *) _catalog_files ;;
  esac
}

complete -F _catalog catalog
