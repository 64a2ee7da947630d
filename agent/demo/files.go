package demo

import (
	"fmt"
	"strings"
)

// parallel makes three independent calls in one answer.
func parallel(t turn) answer {
	if s, done := t.last(); done {
		return say(sentences(t, s))
	}
	if !t.may("get_weather", "calculator") {
		return without(t, "get_weather")
	}
	return use(
		invoke("get_weather", map[string]any{"city": "Beijing"}),
		invoke("get_weather", map[string]any{"city": "Shanghai"}),
		calculate("6*7"),
	)
}

const demoFile = "hello.txt"

// files writes a file, reads it back and lists the folder, one after the other.
func files(t turn) answer {
	plan := []call{
		invoke("write_file", map[string]any{"path": demoFile, "content": t.in("Hello from the demo model.\n", "来自演示模型的问候。\n")}),
		invoke("read_file", map[string]any{"path": demoFile}),
		invoke("list_files", map[string]any{"path": "."}),
	}
	n := len(t.steps)
	if n >= len(plan) {
		return say(t.in(
			fmt.Sprintf("I wrote %s, read it back (%s) and listed the folder: %s", demoFile, quote(t.steps[1].results[0]), quote(t.steps[2].results[0])),
			fmt.Sprintf("我写入了 %s，读回（%s），并列出了目录：%s", demoFile, quote(t.steps[1].results[0]), quote(t.steps[2].results[0]))))
	}
	if !t.may(plan[n].name) {
		return without(t, plan[n].name)
	}
	return use(plan[n])
}

// terminating ends its run by the tool that is there for it.
func terminating(t turn) answer {
	if len(t.steps) > 0 {
		return say(summary(t))
	}
	if !t.may("terminate") {
		return without(t, "terminate")
	}
	status := "success"
	if strings.Contains(t.plain, "fail") || strings.Contains(t.plain, "失败") {
		status = "failure"
	}
	return use(invoke("terminate", map[string]any{
		"status": status, "message": t.in("The demo ends here.", "演示到此结束。"),
	}))
}
