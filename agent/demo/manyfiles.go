package demo

import (
	"fmt"
	"regexp"
	"strconv"
)

var readMany = regexp.MustCompile(`read (?:these|the|all|all the)? ?(\d+) (?:\w+ )?files|读取?(?:一下)?(?:这|那)? ?(\d+) ?个文件`)

// maxRead bounds how many files one answer reads.
const maxRead = 40

// manyFiles reads many different files in one answer: those the person names,
// else note-01.txt and on.
func manyFiles(t turn) (answer, bool) {
	m := readMany.FindStringSubmatch(t.plain)
	if m == nil {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(t.in(
			fmt.Sprintf("I tried to read %d files. The first gave: %s", len(s.calls), quote(s.results[0])),
			fmt.Sprintf("我读取了 %d 个文件。第一个的结果：%s", len(s.calls), quote(s.results[0])))), true
	}
	if !t.may("read_file") {
		return without(t, "read_file"), true
	}
	var calls []call
	for _, path := range paths(t.text, m[1]+m[2]) {
		calls = append(calls, invoke("read_file", map[string]any{"path": path}))
	}
	return use(calls...), true
}

func paths(text, number string) []string {
	n, err := strconv.Atoi(number)
	if err != nil {
		n = maxRead // too long a number
	}
	n = max(1, min(n, maxRead))
	if named := fileName.FindAllString(text, n); len(named) > 0 {
		return named
	}
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("note-%02d.txt", i+1))
	}
	return list
}
