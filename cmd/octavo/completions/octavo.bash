# Completes octavo in bash. Use: source <(octavo completion bash)
_octavo() {
	local IFS=$'\n'
	COMPREPLY=($(compgen -W "$(octavo __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)" -- "${COMP_WORDS[COMP_CWORD]#=}"))
	[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	return 0
}
complete -o default -F _octavo octavo
