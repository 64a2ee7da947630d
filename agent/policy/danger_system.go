package policy

import "fusebox/agent/shell"

var machineDangers = []danger{
	{id: "shell-machine", reason: "The command stops the machine, its services or its processes.", programs: has("shutdown reboot halt poweroff init telinit kill killall pkill skill xkill")},
	{id: "shell-machine", reason: "The command stops the machine, its services or its processes.", programs: has("systemctl service rc-service launchctl supervisorctl initctl"), when: changesServices},
}

var asksServices = re(`^(status|show|is-active|is-enabled|is-failed|list-.*|cat|help)$`)

// changesServices reports whether a service manager is told to do more than to tell.
func changesServices(c shell.Command) bool {
	operands := c.Operands()
	return len(operands) > 0 && !asksServices(operands[0])
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
