package demo

// planned is one step of the plan that planning follows, in both languages.
type planned struct{ english, chinese string }

var plannedSteps = []planned{
	{"Work out how much wall there is", "算出墙面有多大"},
	{"See whether paint will dry", "看看油漆能不能干"},
	{"Ask the shop what the paint costs", "向商店询问油漆价格"},
	{"Write down what is needed", "写下所需的东西"},
}

// shopIsClosed is the note of the step that cannot be done.
var shopIsClosed = planned{"the shop is closed today", "商店今天不营业"}

// planning works by a plan of four steps, of which one is blocked.
func planning(t turn) answer {
	for _, tool := range []string{"update_plan", "calculator", "get_weather"} {
		if !t.may(tool) {
			return without(t, tool)
		}
	}
	const done, begun, later = "completed", "in_progress", "not_started"
	moves := []call{
		writePlan(t, begun, later, later, later),
		calculate("2*(4+5)*2.5"),
		writePlan(t, done, begun, later, later),
		invoke("get_weather", map[string]any{"city": t.in("Guangzhou", "广州")}),
		writePlan(t, done, done, "blocked", begun),
		writePlan(t, done, done, "blocked", done),
	}
	if n := len(t.steps); n < len(moves) {
		return use(moves[n])
	}
	stuck := plannedSteps[2]
	return say(t.in(
		"There are 45 m² of wall, so five litres of paint will do. One step is left to you: “"+stuck.english+"”, because "+shopIsClosed.english+".",
		"墙面有 45 平方米，五升油漆就够了。还有一步要请您来做：“"+stuck.chinese+"”，因为"+shopIsClosed.chinese+"。"))
}

// writePlan writes down how far the steps are.
func writePlan(t turn, statuses ...string) call {
	var plan []map[string]any
	for i, status := range statuses {
		step := map[string]any{"step": t.in(plannedSteps[i].english, plannedSteps[i].chinese), "status": status}
		if status == "blocked" {
			step["note"] = t.in(shopIsClosed.english, shopIsClosed.chinese)
		}
		plan = append(plan, step)
	}
	return invoke("update_plan", map[string]any{"plan": plan})
}
