# Completes runic in fish: asks the program itself what may come next.
complete -c runic -f -a '(command runic __complete fish -- (commandline -pc | string collect) 2>/dev/null)'
