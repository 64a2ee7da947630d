package demo

const planTool = "update_plan"

// The statuses of the steps of a plan.
const (
	planLater   = "not_started"
	planBegun   = "in_progress"
	planDone    = "completed"
	planBlocked = "blocked"
)

// planned is one step of a plan, in both languages.
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
	for _, tool := range []string{planTool, "calculator", "get_weather"} {
		if !t.may(tool) {
			return without(t, tool)
		}
	}
	plan := func(statuses ...string) call {
		return writePlan(t, plannedSteps, t.in(shopIsClosed.english, shopIsClosed.chinese), statuses...)
	}
	moves := []call{
		plan(planBegun, planLater, planLater, planLater),
		calculate("2*(4+5)*2.5"),
		plan(planDone, planBegun, planLater, planLater),
		invoke("get_weather", map[string]any{"city": t.in("Guangzhou", "广州")}),
		plan(planDone, planDone, planBlocked, planBegun),
		plan(planDone, planDone, planBlocked, planDone),
	}
	if n := len(t.steps); n < len(moves) {
		return use(moves[n])
	}
	stuck := plannedSteps[2]
	return say(t.in(
		"There are 45 m² of wall, so five litres of paint will do. One step is left to you: “"+stuck.english+"”, because "+shopIsClosed.english+".",
		"墙面有 45 平方米，五升油漆就够了。还有一步要请您来做：“"+stuck.chinese+"”，因为"+shopIsClosed.chinese+"。"))
}

// writePlan writes down how far the steps are; why is the note of those that are blocked.
func writePlan(t turn, steps []planned, why string, statuses ...string) call {
	var plan []map[string]any
	for i, status := range statuses {
		step := map[string]any{"step": t.in(steps[i].english, steps[i].chinese), "status": status}
		if status == planBlocked {
			step["note"] = why
		}
		plan = append(plan, step)
	}
	return invoke(planTool, map[string]any{"plan": plan})
}
