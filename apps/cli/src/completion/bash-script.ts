/**
 * The script by which bash completes `workflowlookup`. Unlike that of `@bomb.sh/tab` it leaves out `compgen -W`, which
 * expands what it is given and so would run `$(...)` in the name of a file.
 */
export const bashScript = String.raw`# bash completion for workflowlookup

__workflowlookup_complete() {
    local cur prev words cword
    _get_comp_words_by_ref -n "=:" cur prev words cword

    local request="workflowlookup complete -- ${'$'}{words[@]:1}"
    if [[ -z "$cur" ]]; then
        request="$request ''"
    fi

    COMPREPLY=()
    local line value
    while IFS= read -r line; do
        value=${'$'}{line%%$'\t'*}
        case "$value" in
            :4) compopt +o default ;;
            :6) compopt +o default -o nospace ;;
            "$cur"*) COMPREPLY+=("$value") ;;
        esac
    done < <(eval "$request" 2>/dev/null)
}

complete -F __workflowlookup_complete workflowlookup
`;
