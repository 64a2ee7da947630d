package room

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// mapped is what a process has mapped of a file that no folder has: of an unlinked one, or of
// memory that processes share.
type mapped struct {
	number uint64 // of its inode
	upTo   int64  // how much of it the mapping reaches
	blocks int64  // how much it holds, -1 where the server may not know
	memory bool
}

// mappedBy lists these of a process.
func mappedBy(pid int) (all []mapped) {
	folder := "/proc/" + strconv.Itoa(pid)
	text, err := os.ReadFile(folder + "/maps")
	if err != nil {
		return nil // it is gone, or hides
	}
	for _, line := range linesOf(string(text)) {
		if !endsWith(line, " (deleted)") {
			continue
		}
		if m, at, ok := parseMapped(line); ok {
			var s syscall.Stat_t
			if syscall.Stat(folder+"/map_files/"+at, &s) == nil {
				m.blocks = s.Blocks * 512
			}
			all = append(all, m)
		}
	}
	return all
}

// parseMapped reads a line such as
// 7f00a000-7f00b000 rw-s 00001000 00:01 1234 /dev/zero (deleted)
// and says under which name the kernel has the file.
func parseMapped(line string) (m mapped, at string, ok bool) {
	fields := wordsOf(line)
	if len(fields) < 6 {
		return mapped{}, "", false
	}
	from, to := cut(fields[0], '-')
	begin, errBegin := strconv.ParseUint(from, 16, 64)
	end, errEnd := strconv.ParseUint(to, 16, 64)
	offset, errOffset := strconv.ParseInt(fields[2], 16, 64)
	number, errNumber := strconv.ParseUint(fields[4], 10, 64)
	m = mapped{number: number, upTo: offset + int64(end-begin), blocks: -1, memory: isMemory(fields[5])}
	return m, strconv.FormatUint(begin, 16) + "-" + strconv.FormatUint(end, 16), errors.Join(errBegin, errEnd, errOffset, errNumber) == nil
}

// isMemory reports whether a path stands for memory, and for no file on a disk.
func isMemory(path string) bool {
	return path == "/dev/zero" || path == "/anon_hugepage" || beginsWith(path, "/memfd:") || beginsWith(path, "/SYSV")
}

// sight is what a look shows of how much something holds: exactly, or at least.
type sight struct {
	held  int64
	exact bool
}

// sights are what one look shows, by the number of the inode.
type sights map[uint64]sight

func (s sights) add(number uint64, held int64, exact bool) {
	if was := s[number]; !was.exact {
		s[number] = sight{max(held, was.held), exact}
	}
}

func (s sights) addMapped(m mapped) {
	if m.blocks >= 0 {
		s.add(m.number, m.blocks, true)
	} else {
		s.add(m.number, m.upTo, false)
	}
}

// after adds up what things hold: of what a look shows in part only, the most that one
// has shown since it is there.
func (s sights) after(before sights) (sum int64) {
	for number, now := range s {
		if !now.exact {
			now.held = max(now.held, before[number].held)
			s[number] = now
		}
		sum += now.held
	}
	return sum
}
