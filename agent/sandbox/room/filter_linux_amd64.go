package room

import "syscall"

const (
	processor    = 0xC000003E
	lastNumber   = 0x3fffffff // above are those of the x32 interface
	memfdCreate  = 319
	shmget       = 29
	schedSetattr = 314
)

// others are those whose numbers depend on the processor, and that Go's list has not.
var others = []uint32{
	syscall.SYS_KEXEC_LOAD, syscall.SYS_IOPL, syscall.SYS_IOPERM, syscall.SYS_LOOKUP_DCOOKIE, syscall.SYS_NFSSERVCTL,
	303, 304, // name_to_handle_at, open_by_handle_at
	305, 308, // clock_adjtime, setns
	310, 311, 312, 313, // process_vm_readv, process_vm_writev, kcmp, finit_module
	320, 321, 323, // kexec_file_load, bpf, userfaultfd
}

// olderModeCalls are those for which newer processors have the ones that name a folder.
var olderModeCalls = []modeCall{
	{syscall.SYS_CHMOD, 1, 0}, {syscall.SYS_CREAT, 1, 0}, {syscall.SYS_MKNOD, 1, 0}, {syscall.SYS_MKDIR, 1, 0}, {syscall.SYS_OPEN, 2, 1},
}
