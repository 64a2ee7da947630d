package demo

// questioning puts a question before the person, with options to choose from.
func questioning(t turn) (answer, bool) {
	if !t.says("test question", "测试提问", "測試提問") {
		return answer{}, false
	}
	s, done := t.last()
	switch {
	case done:
		return say(t.in("You have chosen: "+quote(s.results[0]), "您的选择是："+quote(s.results[0]))), true
	case !t.may("ask_user"):
		return without(t, "ask_user"), true
	}
	return use(invoke("ask_user", questionArgs(t))), true
}

// questionArgs is the question: of one answer, or of several.
func questionArgs(t turn) map[string]any {
	if t.says("question many", "提问多选", "提問多選") {
		return map[string]any{
			"question": t.in("Which of these shall the report have?", "报告里要包含哪些内容？"), "multiple": true,
			"options": []string{t.in("A summary", "摘要"), t.in("A table", "表格"), t.in("A chart", "图表")},
		}
	}
	return map[string]any{
		"question": t.in("Which colour shall the new door have?", "新门要什么颜色？"),
		"options":  []string{t.in("Red", "红色"), t.in("Green", "绿色"), t.in("Blue", "蓝色")},
	}
}
