# fish completion for catalog

complete -c catalog -l store -x -a 'memory json log' -d 'Kind of store'
complete -c catalog -l sample -d 'Fill an empty store with the sample films'
complete -c catalog -l schema -r -F -d 'Create an empty store with this schema'
complete -c catalog -l entity -x -d 'Start with this entity'
complete -c catalog -l script -r -F -d 'Run commands from a file'
complete -c catalog -s e -x -d 'Run a command' \
    -a 'list count show insert set duplicate delete save rollback undo redo conflicts resolve recover status history revert stats freq
        import export saveas entities schema entity field compact check help quit'
complete -c catalog -l format -x -a 'table json jsonl csv tsv' -d 'Output format of scripts'
complete -c catalog -l keep-going -d 'Continue after a failed command'
complete -c catalog -l read-only -d 'Open read-only'
complete -c catalog -l history -x -a 'all none 100' -d 'History a log keeps'
complete -c catalog -l keys -r -F -d 'Press the keys in a file and print the screen'
complete -c catalog -l size -x -a '80x24 120x40' -d 'Screen size for --keys'
complete -c catalog -l plain -d 'Line by line, without a screen'
complete -c catalog -l no-color -d 'Disable color'
complete -c catalog -l theme -x -a 'dark light none' -d 'Use this theme'
complete -c catalog -l config -r -F -d 'Use this configuration file'
complete -c catalog -l help -d 'Print a summary'
complete -c catalog -l version -d 'Print the version'
