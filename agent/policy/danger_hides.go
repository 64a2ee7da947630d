package policy

import (
	"slices"

	"fusebox/agent/shell"
)

// pipeDangers are those of programs that run what comes through a pipe.
var pipeDangers = []danger{
	{id: "shell-piped-script", reason: "The command makes a shell run text that is not visible here.", when: func(c shell.Command) bool { return c.IsShell() && readsScript(c) }},
	{id: "shell-piped-script", reason: "The command makes a shell run text that is not visible here.", when: func(c shell.Command) bool {
		return c.IsShell() && slices.Contains(has("xargs find fd parallel"), c.By)
	}},
	{id: "shell-piped-script", reason: "The command makes an interpreter run text that was put into another form.", when: func(c shell.Command) bool {
		return readsScript(c) && slices.ContainsFunc(c.Upstream, func(up shell.Command) bool {
			return up.Is("base64", "base32", "xxd", "openssl", "gpg", "gunzip", "zcat", "rev", "tr")
		})
	}},
}

var hideDangers = []danger{
	{id: "shell-hidden-program", reason: "What the command runs is only known when it runs.", when: func(c shell.Command) bool { return c.Hidden }},
	{id: "shell-unreadable", reason: "The command cannot be read, so it is unknown what it would do.", script: func(s shell.Script) bool { return s.Unread }},
	{id: "shell-hidden-program", reason: "The command runs text that is only known when it runs.", programs: has("eval"), args: re(`\$`)},
	{id: "shell-hidden-program", reason: "The command runs text that is only known when it runs.", programs: has(". source"), args: re(`\$|^/dev/(stdin|fd/)`)},
	{id: "shell-bare-shell", reason: "The command starts a shell that is told by nothing here what to do.", when: bareShell},
	{id: "shell-preload", reason: "The command puts other code into the programs that it runs.", when: setsLoader},
	{id: "shell-traces", reason: "The command removes the traces of what was done.", programs: has("history"), args: re(`^-[cdw]`)},
	{id: "shell-traces", reason: "The command removes the traces of what was done.", programs: has("journalctl"), args: re(`^--(vacuum|rotate|flush)`)},
	{id: "shell-traces", reason: "The command removes the traces of what was done.", programs: has("unset"), args: re(`^HIST`)},
	{id: "shell-traces", reason: "The command removes the traces of what was done.", when: assigns(`^HIST(FILE|SIZE|FILESIZE|CONTROL)=`)},
	{id: "shell-traces", reason: "The command removes the traces of what was done.", programs: has("rm unlink shred truncate ln"), args: re(`_history$|/var/log/|wtmp$|btmp$|lastlog$`)},
	{id: "shell-outlives", reason: "The command starts something that goes on after its call has ended.", programs: has("disown setsid daemonize start-stop-daemon")},
	{id: "shell-outlives", reason: "The command starts something that goes on after its call has ended.", programs: has("nohup"), when: func(c shell.Command) bool { return c.Background }},
	{id: "shell-outlives", reason: "The command starts something that goes on after its call has ended.", programs: has("screen tmux"), args: re(`^-[A-Za-z]*d|^new`)},
	{id: "shell-hidden-options", reason: "The command's options make its program run another one.", programs: has("git"), args: re(`(?i)^(alias\..*=?!?|core\.(sshcommand|pager|editor|fsmonitor|hookspath|gitproxy)|credential\.helper|.*\.(textconv|cmd))(=|$)|^--(exec|upload-pack|receive-pack|extcmd)`)},
	{id: "shell-hidden-options", reason: "The command's options make its program run another one.", programs: has("tar"), args: re(`^--(checkpoint-action|to-command|use-compress-program|rsh-command|info-script|new-volume-script)|^-I`)},
	{id: "shell-hidden-options", reason: "The command's options make its program run another one.", programs: has("vim vi nvim ex ed emacs less man"), args: re(`^\+?[:!]|^-c|^--(cmd|eval)|^\+!`)},
	{id: "shell-hidden-options", reason: "The command's options make its program run another one.", programs: has("go"), args: re(`^--?(vettool|toolexec|exec)(=|$)`)},
	{id: "shell-hidden-options", reason: "The command's options make its program run another one.", programs: has("rg sort rsync man git"), args: re(`^--(pre|compress-program|rsh|pager|open-files-in-pager|ext-diff)(=|$)`)},
	{id: "shell-code-runs", reason: "The program in the command runs others, or text that is made when it runs.", code: re(`\bos\.(system|popen|exec\w*|spawn\w*|fork|kill)\b|\bsubprocess\b|\bpty\.spawn|\bpopen\b|\bexec\s*\(|\beval\s*\(|\b__import__\b|\bctypes\b|child_process|\bexec(File)?Sync\b|\bspawn(Sync)?\s*\(|\bsystem\s*[("']|\bqx[\W]|\bshell_exec\b|\bpassthru\b|\bproc_open\b|\bProcess\.(spawn|exec)|\bDeno\.(run|Command)|%x[\W]|\bb(64|ase64)_?decode`)},
	{id: "shell-code-runs", reason: "The program in the command is only known when it runs.", code: re(`^\s*\$(\(\)|\w+)\s*$`)},
}

func assigns(pattern string) func(shell.Command) bool {
	fits := re(pattern)
	return func(c shell.Command) bool { return slices.ContainsFunc(c.Assigns, fits) }
}

// bareShell reports whether a shell gets neither a script nor a text.
func bareShell(c shell.Command) bool {
	return c.IsShell() && !c.InContainer() && len(c.Args) == 0 && len(c.Reads) == 0 && c.Input == "" && len(c.Upstream) == 0
}

var loaders = re(`^(LD_(PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|PYTHONPATH|PERL5(LIB|OPT)|RUBYOPT|NODE_OPTIONS|JAVA_TOOL_OPTIONS|GIT_SSH(_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PAGER|PAGER|EDITOR|VISUAL|IFS|PATH)=`)

// setsLoader reports whether a variable is set that makes programs run other code.
func setsLoader(c shell.Command) bool {
	return slices.ContainsFunc(c.Assigns, loaders) || c.Is("env", "export") && slices.ContainsFunc(c.Args, loaders)
}
