package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// systemPaths are what programs are made of and what they need to know of the machine. All
// else of the file system is closed, above all homes, /var, /run, /srv, /opt, and
// those files of /etc that contain secrets.
var systemPaths = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/nix/store", "/gnu/store",
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/passwd", "/etc/group",
	"/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/gai.conf", "/etc/protocols", "/etc/services",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/os-release", "/etc/debian_version", "/etc/mime.types",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates.conf", "/etc/pki/tls/certs", "/etc/pki/ca-trust",
	"/etc/fonts", "/etc/magic", "/etc/profile", "/etc/bash.bashrc", "/etc/inputrc", "/etc/terminfo", "/etc/perl", "/etc/python3",
	"/etc/java", "/etc/gitconfig", "/etc/xdg",
}

// without returns the paths of a list with all of a folder left out: where a path
// contains it, its other entries take the path's place. The folder need not exist.
func without(paths []string, hidden string) (rest []string) {
	for _, path := range paths {
		at := path
		if to, err := filepath.EvalSymlinks(path); err == nil {
			at = to
		}
		switch {
		case Contains(hidden, at):
		case !Contains(at, hidden):
			rest = append(rest, path)
		default:
			rest = append(rest, without(entries(at), hidden)...)
		}
	}
	return rest
}

// Shows reports whether every program may read a path anyway.
func (s *Sandbox) Shows(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.system, func(shown string) bool {
		at, err := filepath.EvalSymlinks(shown)
		return err == nil && Contains(at, real) && (Contains(shown, path) || Contains(at, path))
	})
}

// Contains reports whether a path is a folder or something in it, by their names alone.
func Contains(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}

func entries(folder string) (paths []string) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil // what cannot be read is left out as well
	}
	for _, entry := range list {
		paths = append(paths, filepath.Join(folder, entry.Name()))
	}
	return paths
}
