#compdef octavo
# Completes octavo in zsh. Use: source <(octavo completion zsh)
_octavo() {
	local -a found
	local line
	for line in "${(@f)$(octavo __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( $#found )); then
		_describe octavo found
	else
		_files
	fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_octavo "$@"
else
	compdef _octavo octavo
fi
