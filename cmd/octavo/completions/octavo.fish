# Completes octavo in fish. Use: octavo completion fish | source
function __octavo_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l found (octavo __complete -- $words[2..-1] 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path (commandline -ct)
	end
end
complete -c octavo -f -a '(__octavo_complete)'
