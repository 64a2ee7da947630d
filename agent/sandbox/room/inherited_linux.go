package room

import "syscall"

// CloseInherited closes what whoever has started this process left open, from a descriptor on: that
// would be open in the programs that it starts, too, and what it has opened itself would not.
func CloseInherited(from int) {
	for _, fd := range numbers("/proc/self/fd") {
		flags, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if fd >= from && errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			_ = syscall.Close(fd)
		}
	}
}
