package policy

import (
	"slices"
	"strings"

	"fusebox/agent/shell"
)

var userDangers = []danger{
	{id: "shell-other-user", reason: "The command runs with another user's rights.", programs: has("sudo su doas pkexec runuser sudoedit newgrp sg")},
}

var rightsDangers = []danger{
	{id: "shell-rights", reason: "The command changes permissions or owners of whole directory trees.", programs: has("chmod chown chgrp setfacl"), when: func(c shell.Command) bool { return recursive(c, "R") }},
	{id: "shell-rights", reason: "The command lets a program run with its owner's rights.", programs: has("chmod"), args: re(`^[0-7]?[2467][0-7]{3}$|\+[rwxt]*s`)},
	{id: "shell-rights", reason: "The command gives programs or files rights of their own.", programs: has("setcap chattr")},
	{id: "shell-accounts", reason: "The command changes accounts, passwords or groups.", programs: has("useradd userdel usermod adduser deluser addgroup delgroup groupadd groupdel groupmod passwd chpasswd gpasswd chsh chfn visudo vipw vigr")},
	{id: "shell-keys", reason: "The command makes or installs keys that open machines.", programs: has("ssh-keygen ssh-copy-id ssh-add")},
	{id: "shell-keys", reason: "The command changes who may sign in with a key.", script: func(s shell.Script) bool {
		return s.Any(func(c shell.Command) bool {
			keys := func(p string) bool { return strings.Contains(p, "authorized_keys") || strings.Contains(p, ".ssh/") }
			return slices.ContainsFunc(c.Writes, keys) || slices.ContainsFunc(targets(c), keys)
		})
	}},
	{id: "shell-container-host", reason: "The command gives a container the machine's own files or rights.", programs: has("docker podman nerdctl"),
		args: re(`^(--privileged|--pid=host|--userns=host|--cap-add(=.*)?|--device(=.*)?|--security-opt=.*unconfined.*)$|^(-v|--volume=?)?/(|bin|boot|dev|etc|home|lib|opt|proc|root|run|sbin|sys|usr|var)(/[^:]*)?:|(source|src)=/(,|(bin|boot|dev|etc|home|proc|root|run|sys|usr|var)\b)|docker\.sock`)},
	{id: "shell-escape", reason: "The command runs something outside of where commands are kept.", programs: has("chroot nsenter unshare pivot_root bwrap")},
	{id: "shell-link-out", reason: "The command links a file outside the workspace into it.", programs: has("ln"), when: func(c shell.Command) bool {
		return slices.ContainsFunc(c.Operands(), outsideTarget)
	}},
}

// outsideTarget reports whether the target of a link opens more than one program of the machine.
var outsideTarget = re(`^/+(\.?$|(bin|boot|dev|etc|home|lib|opt|proc|root|run|sbin|srv|sys|usr|var)/*$|(etc|home|proc|root|run|srv|sys|var|dev)/)|^~[^/]|^(\./)*\.\.(/|$)`)
