package demo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// parallel makes three independent calls in one answer.
func parallel(t turn) (answer, bool) {
	if !t.says("test parallel", "测试并行", "測試並行") {
		return answer{}, false
	}
	if s, done := t.last(); done {
		return say(sentences(t, s)), true
	}
	if !t.may("get_weather", "calculator") {
		return without(t, "get_weather"), true
	}
	return use(
		invoke("get_weather", map[string]any{"city": "Beijing"}),
		invoke("get_weather", map[string]any{"city": "Shanghai"}),
		calculate("6*7"),
	), true
}

const demoFile = "hello.txt"

// files writes a file, reads it back and lists the folder, one after the other.
func files(t turn) (answer, bool) {
	if !t.says("test files", "test file", "测试文件", "測試文件") {
		return answer{}, false
	}
	plan := []call{
		invoke("write_file", map[string]any{"path": demoFile, "content": t.in("Hello from the demo model.\n", "来自演示模型的问候。\n")}),
		invoke("read_file", map[string]any{"path": demoFile}),
		invoke("list_files", map[string]any{"path": "."}),
	}
	n := len(t.steps)
	if n >= len(plan) {
		return say(t.in(
			fmt.Sprintf("I wrote %s, read it back (%s) and listed the folder: %s", demoFile, quote(t.steps[1].results[0]), quote(t.steps[2].results[0])),
			fmt.Sprintf("我写入了 %s，读回（%s），并列出了目录：%s", demoFile, quote(t.steps[1].results[0]), quote(t.steps[2].results[0])))), true
	}
	if !t.may(plan[n].name) {
		return without(t, plan[n].name), true
	}
	return use(plan[n]), true
}

var (
	readMany = regexp.MustCompile(`read (?:these|the|all|all the)? ?(\d+) (?:\w+ )?files|读取?(?:一下)?(?:这|那)? ?(\d+) ?个文件`)
	fileName = regexp.MustCompile(`[\w\-./]+\.[A-Za-z][A-Za-z0-9]{0,7}\b`)
)

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

// terminating ends its run by the tool that is there for it.
func terminating(t turn) (answer, bool) {
	if !t.says("test terminate", "测试终止", "測試終止") {
		return answer{}, false
	}
	if len(t.steps) > 0 {
		return say(summary(t)), true
	}
	if !t.may("terminate") {
		return without(t, "terminate"), true
	}
	status := "success"
	if strings.Contains(t.plain, "fail") || strings.Contains(t.plain, "失败") {
		status = "failure"
	}
	return use(invoke("terminate", map[string]any{
		"status": status, "message": t.in("The demo ends here.", "演示到此结束。"),
	})), true
}
