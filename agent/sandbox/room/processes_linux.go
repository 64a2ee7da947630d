package room

import (
	"os"
	"strconv"
)

// Descendants lists the processes that a process has started, and those that these have.
func Descendants(of int) (all []int) {
	childrenOf := children
	if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err != nil {
		// This kernel keeps no lists: all processes are looked at.
		found := map[int][]int{}
		for _, pid := range numbers("/proc") {
			if fields := Stat(pid); len(fields) > 1 {
				parent := int(number(fields[1]))
				found[parent] = append(found[parent], pid)
			}
		}
		childrenOf = func(of int) []int { return found[of] }
	}
	for next := childrenOf(of); len(next) > 0; {
		pid := next[0]
		all = append(all, pid)
		next = append(next[1:], childrenOf(pid)...)
	}
	return all
}

// children lists what a process has started, by any of its threads.
func children(of int) (all []int) {
	tasks := "/proc/" + strconv.Itoa(of) + "/task"
	for _, task := range numbers(tasks) {
		text, err := os.ReadFile(tasks + "/" + strconv.Itoa(task) + "/children")
		if err != nil {
			continue // it is gone
		}
		for _, field := range wordsOf(string(text)) {
			pid, _ := strconv.Atoi(field) // the kernel writes numbers
			all = append(all, pid)
		}
	}
	return all
}

// numbers lists the entries of a folder that are numbers.
func numbers(folder string) (all []int) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // those that could be read
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// Stat is what the kernel says of a process after its name: its state, its parent, and
// so on. Nil where it is gone.
func Stat(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// The name in parentheses may contain anything.
	return wordsOf(string(stat[lastOf(string(stat), ')')+1:]))
}

// Zombie reports whether a process has ended and waits for its parent to notice.
func Zombie(pid int) bool {
	fields := Stat(pid)
	return len(fields) > 0 && fields[0] == "Z"
}

// statusOf reads numbers of a process by their names in its status file.
func statusOf(pid int, names ...string) map[string]int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return nil // it is gone
	}
	found := map[string]int64{}
	for _, line := range linesOf(string(text)) {
		name, rest := cut(line, ':')
		for _, wanted := range names {
			if name == wanted {
				n, _ := strconv.ParseInt(wordsOf(rest)[0], 10, 64)
				found[name] = n
			}
		}
	}
	return found
}
