# What the generated function below has no rules for: files with blanks in their names, lists with commas, and which
# words are files. Everything else is its task.
_ikigai__tools() {
    local cur=$2 word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option='' kind='' at count=0
    COMPREPLY=()
    if [[ $COMP_CWORD -ge 2 ]]; then
        command=${command//_/-}
        command=${command%-tool}
        # `=` is a word of its own.
        if [[ $word == = ]]; then
            option=${COMP_WORDS[COMP_CWORD - 1]} cur=''
        elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
            option=${COMP_WORDS[COMP_CWORD - 2]}
        elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -?* ]]; then
            option=${COMP_WORDS[COMP_CWORD - 1]}
        fi
        kind=$(_ikigai__tools__kind "$command $option")
        if [[ -z $kind && $cur != -* ]]; then
            for ((at = 2; at < COMP_CWORD; at++)); do
                word=${COMP_WORDS[at]}
                if [[ $word != -?* ]]; then
                    ((count++))
                elif [[ ${COMP_WORDS[at + 1]} == = ]]; then
                    ((at += 2))
                elif [[ -n $(_ikigai__tools__kind "$command $word") ]]; then
                    ((at++))
                fi
            done
            kind=$(_ikigai__tools__kind "$command $count")
            # Before a text is begun, the options are shown.
            if [[ $kind == text && -z $cur ]]; then
                kind=''
            fi
        fi
    fi
    case $kind in
        file | directory)
            # With quotes in it, or what a shell would put something else for, the shell itself knows best.
            if [[ $cur == *[\\\'\"\$\`~]* ]]; then
                return 0
            fi
            while IFS= read -r word; do
                COMPREPLY+=("$word")
            done < <(compgen -A "$kind" -- "$cur")
            compopt -o filenames 2>/dev/null
            return 0
            ;;
        list\ *)
            local before='' name
            if [[ $cur == *,* ]]; then
                before=${cur%,*},
            fi
            for name in ${kind#list }; do
                if [[ $name == "${cur#"$before"}"* && ,$before != *,"$name",* ]]; then
                    COMPREPLY+=("$before$name")
                fi
            done
            ;;
        text) ;;
        *) _ikigai__tools__generated "$@" ;;
    esac
    # Where nothing fits, files do not either.
    compopt +o bashdefault +o default 2>/dev/null
    return 0
}

# What stands behind an option of a command, or in the place of its words, counted from 0.
_ikigai__tools__kind() {
    case $1 in
@KINDS@
    esac
}

