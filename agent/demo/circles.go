package demo

import (
	"fmt"
	"strings"
)

// circling makes the calls of a list round and round, until a person says
// something else.
func circling(t turn, next call) (answer, bool) {
	switch {
	case t.guidance != "":
		return heeding(t), true
	case !t.may(next.name):
		return without(t, next.name), true
	}
	return use(next), true
}

// deadLoop makes the same call again and again, as long as it is offered the tool.
func deadLoop(t turn) (answer, bool) {
	if !t.says("test dead loop", "test deadloop", "测试死循环", "測試死循環") {
		return answer{}, false
	}
	return circling(t, calculate("1+1"))
}

// pingPong goes back and forth between two calls.
func pingPong(t turn) (answer, bool) {
	if !t.says("test ping pong", "test pingpong", "测试乒乓", "測試乒乓") {
		return answer{}, false
	}
	return circling(t, calculate([]string{"1+1", "2+2"}[len(t.steps)%2]))
}

// cycling goes round three calls.
func cycling(t turn) (answer, bool) {
	if !t.says("test cycle", "测试循环", "測試循環") {
		return answer{}, false
	}
	return circling(t, calculate([]string{"1+1", "2+2", "3+3"}[len(t.steps)%3]))
}

// varying asks nearly the same each time: only the spelling differs, and the
// answer never does.
func varying(t turn) (answer, bool) {
	if !t.says("test similar", "测试相似", "測試相似") {
		return answer{}, false
	}
	return circling(t, invoke("get_weather", map[string]any{"city": "Guangzhou" + strings.Repeat(" ", len(t.steps))}))
}

// wandering keeps doing new things that lead nowhere; only a judge sees it.
func wandering(t turn) (answer, bool) {
	if !t.says(judgedPhrases...) {
		return answer{}, false
	}
	n := len(t.steps) + 1
	return circling(t, calculate(fmt.Sprintf("%d*%d+%d", n, n, n)))
}

// inventing calls tools that do not exist.
func inventing(t turn) (answer, bool) {
	if !t.says("test unknown tool", "测试未知工具", "測試未知工具") {
		return answer{}, false
	}
	if t.guidance != "" || !t.may("calculator") {
		return heeding(t), true
	}
	return use(invoke([]string{"teleport", "beam", "warp"}[len(t.steps)%3], map[string]any{})), true
}

const jobFile = "status.txt"

// polling reads a job's status until it is done.
func polling(t turn) (answer, bool) {
	if !t.says("test polling", "测试轮询", "測試輪詢") {
		return answer{}, false
	}
	if s, did := t.last(); did && (strings.Contains(s.results[0], "done") || strings.Contains(s.results[0], "完成")) {
		return say(t.in("The job is done: "+quote(s.results[0]), "任务完成："+quote(s.results[0]))), true
	}
	return circling(t, invoke("read_file", map[string]any{"path": jobFile}))
}
