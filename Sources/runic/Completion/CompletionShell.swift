/// A shell that runic completes in, with the script that makes it ask.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// What `runic completion` prints, and the file under `completions/` holds.
  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  /// What the shell wants the file to be called.
  var fileName: String {
    switch self {
    case .bash: "runic.bash"
    case .zsh: "_runic"
    case .fish: "runic.fish"
    }
  }

  private static let bashScript = #"""
    # Completes runic in bash: asks the program itself what may come next.
    _runic() {
      local word
      COMPREPLY=()
      while IFS= read -r word; do COMPREPLY+=("$word"); done < \
        <(command runic __complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    }
    complete -o nospace -F _runic runic

    """#

  private static let zshScript = #"""
    #compdef runic
    # Completes runic in zsh: asks the program itself what may come next.
    _runic() {
      local line text
      local -a whole wholeText open openText
      for line in "${(@f)$(command runic __complete zsh -- "${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        text=${line%%$'\t'*}
        case $text in
          *[/=]) open+=("$text") openText+=("${line/$'\t'/  }") ;;
          *) whole+=("$text") wholeText+=("${line/$'\t'/  }") ;;
        esac
      done
      # What is put in gets quoted, and a quoted ~ is no home.
      if compset -P '\~/'; then whole=("${(@)whole#\~/}") open=("${(@)open#\~/}"); fi
      compadd -l -d wholeText -a whole
      compadd -l -d openText -S '' -a open
    }
    # The first time, zsh runs this file in place of the function that it defines.
    if [ "$funcstack[1]" = _runic ]; then _runic "$@"; else compdef _runic runic; fi

    """#

  private static let fishScript = #"""
    # Completes runic in fish: asks the program itself what may come next.
    complete -c runic -f -a '(command runic __complete fish -- (commandline -pc | string collect) 2>/dev/null)'

    """#
}
