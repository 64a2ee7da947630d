package demo

import (
	"fmt"
	"strings"

	"fusebox/agent/demo/reports"
	"fusebox/agent/demo/sums"
)

var agentWords = []string{"agent", "agents", "subagents", "researcher", "researchers", "助手", "智能体", "研究员", "代理"}

// surveying has the weather of each city looked up by an agent of its own, all at the same
// time, and compares what they hand back.
func surveying(t turn) (answer, bool) {
	cities := reports.Cities(t.words)
	if t.agent != "" || len(cities) == 0 || !t.means(weatherWords...) || !t.means(agentWords...) {
		return answer{}, false
	}
	var tasks []call
	for _, c := range cities {
		tasks = append(tasks, delegate("researcher", t.in("Look up the weather in "+c.Name+".", "查询"+c.Chinese+"的天气。"),
			nil, map[string]any{"temperature": "number"}))
	}
	back := t.handedBack()
	if n := len(back); n < len(tasks) {
		return delegating(t, tasks[n:]...), true
	}
	rows := []string{t.in("| City | Temperature | What its agent says |", "| 城市 | 气温 | 智能体的回答 |"), "| --- | --- | --- |"}
	warmest, most := "", 0.0
	for i, c := range cities {
		name, degrees := t.in(c.Name, c.Chinese), "–"
		if v, known := back[i].Values["temperature"].(float64); known {
			degrees = sums.Decimal(v) + " °C"
			if warmest == "" || v > most {
				warmest, most = name, v
			}
		}
		said := back[i].told()
		if !back[i].succeeded() {
			said = back[i].failure(t)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |", name, degrees, strings.ReplaceAll(said, "|", `\|`)))
	}
	text := strings.Join(rows, "\n")
	if warmest != "" && len(cities) > 1 {
		text += "\n\n" + t.in("It is warmest in "+warmest+".", warmest+"最热。")
	}
	return say(text), true
}
