package demo

// questioning puts a question before the person; they may choose an answer or
// write one.
func questioning(t turn) answer {
	return questionOf(t, map[string]any{
		"question": t.in("Which colour shall the new door have?", "新门要什么颜色？"),
		"options":  []string{t.in("Red", "红色"), t.in("Green", "绿色"), t.in("Blue", "蓝色")},
	})
}

// choosing lets the person choose one or several of what there is, and nothing else.
func choosing(t turn) answer {
	return questionOf(t, map[string]any{
		"question": t.in("Which of these shall the report have?", "报告里要包含哪些内容？"), "multiple": true, "free_text": false,
		"options": []string{t.in("A summary", "摘要"), t.in("A table", "表格"), t.in("A chart", "图表")},
	})
}

func questionOf(t turn, args map[string]any) answer {
	s, done := t.last()
	switch {
	case done:
		return say(t.in("You have chosen: "+quote(s.results[0]), "您的选择是："+quote(s.results[0])))
	case !t.may("ask_user"):
		return without(t, "ask_user")
	}
	return use(invoke("ask_user", args))
}

// handingOver asks a person to take over. Without a tool for that it repeats itself until
// the breaker's card offers it.
func handingOver(t turn) answer {
	if s, done := t.last(); done && s.calls[0].name == "hand_over" {
		return say(sentences(t, s))
	}
	if t.may("hand_over") {
		return use(invoke("hand_over", map[string]any{"reason": t.in("This needs a person's judgement.", "这需要由人来判断。")}))
	}
	a := deadLoop(t)
	if len(t.steps) == 0 && len(a.calls) > 0 {
		a.text = t.in("I shall get stuck here. When the card comes, choose “Take over” and write the answer in my place.",
			"我会卡在这里。卡片出现后，请选择“接管”，替我写出答案。")
	}
	return a
}
