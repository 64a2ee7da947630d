package room

import "syscall"

const (
	processor    = 0xC00000B7
	lastNumber   = 0x3fffffff
	memfdCreate  = 279
	shmget       = 194
	schedSetattr = 274
)

// others are those whose numbers depend on the processor, and that Go's list has not.
var others = []uint32{
	syscall.SYS_KEXEC_LOAD, syscall.SYS_LOOKUP_DCOOKIE, syscall.SYS_NFSSERVCTL,
	264, 265, // name_to_handle_at, open_by_handle_at
	266, 268, // clock_adjtime, setns
	270, 271, 272, 273, // process_vm_readv, process_vm_writev, kcmp, finit_module
	280, 282, 294, // bpf, userfaultfd, kexec_file_load
}

// olderModeCalls are those that name no folder; this processor has none.
var olderModeCalls []modeCall
