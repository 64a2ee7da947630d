//go:build amd64 || arm64

package room

import "syscall"

type instructions []syscall.SockFilter

// on answers a call as the parts say, of which the last one always answers.
func (f *instructions) on(number uint32, parts ...instructions) {
	var all instructions
	for _, part := range parts {
		all = append(all, part...)
	}
	*f = append(append(*f, syscall.SockFilter{Code: jumpEqual, K: number, Jf: uint8(len(all))}), all...)
}

// end answers.
func end(with uint32) instructions { return instructions{{Code: answer, K: with}} }

// argument loads the low half of one: the kernel, too, takes no more of these.
func argument(n uint32) instructions { return instructions{{Code: load, K: atFirst + 8*n}} }

func refuseBits(n, bits uint32) instructions {
	return append(argument(n), syscall.SockFilter{Code: jumpBits, K: bits, Jf: 1}, end(refuse)[0])
}

func refuseEqual(n uint32, values ...uint32) instructions {
	f := argument(n)
	for _, v := range values {
		f.on(v, end(refuse))
	}
	return f
}

// permitOnly permits an argument that is one of some values, and refuses all others.
func permitOnly(n uint32, values ...int64) instructions {
	f := argument(n)
	for _, v := range values {
		f.on(uint32(v), end(permit))
	}
	return append(f, end(refuse)...)
}

// unlessCreating permits a call that gives no file a mode.
func (c modeCall) unlessCreating() instructions {
	if c.flags == 0 {
		return nil
	}
	return append(argument(c.flags), syscall.SockFilter{Code: jumpBits, K: creates, Jt: 1}, end(permit)[0])
}
