package demo

// searching finds files by name, then the lines in them that say something.
func searching(t turn) answer {
	return walkThrough(t,
		invoke("glob", map[string]any{"pattern": "**/*.{js,json}"}),
		invoke("grep", map[string]any{"pattern": `(?i)sample|server`}))
}

// editing looks for a word in a sample file and proposes another one.
func editing(t turn) answer {
	return walkThrough(t,
		invoke("grep", map[string]any{"pattern": "^# ", "path": "README.md"}),
		invoke("edit_file", map[string]any{
			"path": "README.md", "old": "# Sample shop", "new": t.in("# The corner shop", "# 街角小店"),
		}))
}

// longOutput runs a command whose output exceeds the limit of a result, then reads the rest.
func longOutput(t turn) answer {
	s, done := t.last()
	if !done {
		return walkThrough(t, invoke("run_shell", map[string]any{"command": "seq 1 20000"}))
	}
	kept := outputName.FindString(t.steps[0].results[0])
	if kept == "" {
		return say(t.in("There is nothing more to read: ", "没有更多内容可读：") + quote(s.results[0]))
	}
	return walkThrough(t, invoke("run_shell", nil), invoke("fetch_output", map[string]any{"path": kept, "part": 2}))
}

// walkThrough makes one call after the other, then shows what each of them gave.
func walkThrough(t turn, plan ...call) answer {
	n := len(t.steps)
	switch {
	case n >= len(plan):
		return say(t.in("This is what I found.", "这是我找到的内容。") + "\n\n" + told(t))
	case !t.may(plan[n].name):
		return without(t, plan[n].name)
	}
	return use(plan[n])
}
