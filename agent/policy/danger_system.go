package policy

import (
	"slices"

	"fusebox/agent/shell"
)

var machineDangers = []danger{
	{id: "shell-machine", reason: "The command stops the machine, its services or its processes.", programs: has("shutdown reboot halt poweroff init telinit kill killall pkill skill xkill")},
	{id: "shell-machine", reason: "The command stops the machine, its services or its processes.", programs: has("systemctl service rc-service launchctl supervisorctl initctl"),
		but: re(`^(status|show|is-active|is-enabled|is-failed|list-.*|cat|help|--version|--status-all)$`)},
}

var systemDangers = []danger{
	{id: "shell-fork-bomb", reason: "The command multiplies itself.", script: isForkBomb},
	{id: "shell-system-files", reason: "The command writes outside its workspace.", script: writesOutside},
	{id: "shell-schedule", reason: "The command has something run later, without anybody looking.", programs: has("crontab"), but: re(`^-l$`)},
	{id: "shell-schedule", reason: "The command has something run later, without anybody looking.", programs: has("at batch systemd-run atrm")},
	{id: "shell-network-setup", reason: "The command changes the machine's firewall, network or name lookup.", programs: has("iptables ip6tables nft ufw firewall-cmd ipset pfctl"), but: re(`^(-L|-S|-nL|-nvL|-vnL|--list.*|--get.*|status|list)$`)},
	{id: "shell-network-setup", reason: "The command changes the machine's firewall, network or name lookup.", programs: has("ip ifconfig route nmcli netplan resolvectl"), args: re(`^(add|del|delete|set|flush|replace|up|down|apply|modify)$`)},
	{id: "shell-kernel", reason: "The command changes the kernel, its file systems or its settings.", programs: has("insmod rmmod modprobe kexec umount swapoff swapon losetup")},
	{id: "shell-kernel", reason: "The command changes the kernel, its file systems or its settings.", programs: has("mount"), when: func(c shell.Command) bool { return len(c.Operands()) > 0 }},
	{id: "shell-kernel", reason: "The command changes the kernel, its file systems or its settings.", programs: has("sysctl"), args: re(`^-w|^--(write|system|load.*)|^-p|=`)},
	{id: "shell-clock", reason: "The command changes the machine's name or clock.", programs: has("hostnamectl timedatectl hwclock"), args: re(`^set|^-[sw]`)},
	{id: "shell-clock", reason: "The command changes the machine's name or clock.", programs: has("date"), args: re(`^(-s.*|--set.*)$`)},
	{id: "shell-packages", reason: "The command installs or removes programs of the machine.", programs: has("apt apt-get aptitude yum dnf microdnf zypper apk brew snap flatpak port emerge"), args: re(`^(install|remove|purge|erase|uninstall|upgrade|full-upgrade|dist-upgrade|autoremove|add|del|reinstall|downgrade|in|rm)$`)},
	{id: "shell-packages", reason: "The command installs or removes programs of the machine.", programs: has("dpkg rpm"), args: re(`^-[A-Za-z]*[irPUeF]|^--(install|remove|purge|erase|upgrade)`), but: re(`^-q`)},
	{id: "shell-packages", reason: "The command installs or removes programs of the machine.", programs: has("pacman"), args: re(`^-[RSU]`)},
}

// isForkBomb reports whether a function calls itself twice or more.
func isForkBomb(s shell.Script) bool {
	for name, programs := range s.Bodies {
		own := 0
		for _, p := range programs {
			if p == name {
				own++
			}
		}
		if own > 1 {
			return true
		}
	}
	return false
}

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
	{id: "shell-code-runs", reason: "The program in the command runs others, or text that is made when it runs.", code: re(`\bos\.(system|popen|exec\w*|spawn\w*|fork|kill)\b|\bsubprocess\b|\bpty\.spawn|\bpopen\b|\bexec\s*\(|\beval\s*\(|\b__import__\b|\bctypes\b|child_process|\bexec(File)?Sync\b|\bspawn(Sync)?\s*\(|\bsystem\s*[("']|\bqx[\W]|\bshell_exec\b|\bpassthru\b|\bproc_open\b|\bProcess\.(spawn|exec)|\bDeno\.(run|Command)|%x[\W]|\bb(64|ase64)_?decode`)},
	{id: "shell-code-runs", reason: "The program in the command is only known when it runs.", code: re(`^\s*\$(\(\)|\w+)\s*$`)},
}

func assigns(pattern string) func(shell.Command) bool {
	fits := re(pattern)
	return func(c shell.Command) bool { return slices.ContainsFunc(c.Assigns, fits.MatchString) }
}

// bareShell reports whether a shell gets neither a script nor a text.
func bareShell(c shell.Command) bool {
	return c.IsShell() && !c.InContainer() && len(c.Args) == 0 && len(c.Reads) == 0 && c.Input == "" && len(c.Upstream) == 0
}

var loaders = re(`^(LD_(PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|PYTHONPATH|PERL5(LIB|OPT)|RUBYOPT|NODE_OPTIONS|JAVA_TOOL_OPTIONS|GIT_SSH(_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PAGER|PAGER|EDITOR|VISUAL|IFS|PATH)=`)

// setsLoader reports whether a variable is set that makes programs run other code.
func setsLoader(c shell.Command) bool {
	return slices.ContainsFunc(c.Assigns, loaders.MatchString) || c.Is("env", "export") && slices.ContainsFunc(c.Args, loaders.MatchString)
}
