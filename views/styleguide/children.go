package styleguide

import (
	"github.com/a-h/templ"

	"fusebox/views/part"
)

// children are the cards of child runs, and who waits for them.
func children() map[string]templ.Component {
	return map[string]templ.Component{
		"child-working": part.ToolCard(part.Tool{ID: "t-10", Child: child(part.Child{ID: "run-1", Stop: "/runs/1/abort", CSRF: "tok", Items: []templ.Component{
			part.ToolCard(part.Tool{ID: "t-11", Name: "read_file", State: "success", Label: "done", Object: "notes.txt", Args: "{}", Result: "text"}),
			part.ToolCard(part.Tool{ID: "t-12", Child: child(part.Child{ID: "run-2", Load: "/c/1/runs/2"}, "writer", "good", "done")}),
		}}, "researcher", "accent", "working")}),
		"child-waits":   part.ToolCard(part.Tool{ID: "t-13", Child: child(part.Child{ID: "run-3", Load: "/c/1/runs/3"}, nasty, "warm", "waits for you")}),
		"child-queued":  part.ToolCard(part.Tool{ID: "t-14", Child: child(part.Child{ID: "run-4", Load: "/c/1/runs/4"}, "writer", "", "waits for a place")}),
		"child-stopped": part.ToolCard(part.Tool{ID: "t-15", Child: child(part.Child{ID: "run-5", Load: "/c/1/runs/5"}, "writer", "tripped", "stopped: step limit")}),
		"run-state-children": part.RunStateView(part.RunState{
			RunID: "r", Status: "paused", Label: "Waits", MayStop: true, MoreWaits: 2, Waits: []part.RunLink{{Name: nasty, Card: "t-10"}, {Name: "writer"}}, CSRF: "tok",
		}),
	}
}

// child is a child run of an agent.
func child(c part.Child, name, tone, label string) *part.Child {
	c.Run, c.Task = "/runs/"+c.ID, nasty
	c.Head = part.ChildHead{ID: c.ID + "-s", Agent: name, Task: nasty, Tone: tone, Label: label, Meters: []string{"3 steps", "12k tokens", "$0.02"}, Took: "0:42"}
	if tone == "accent" {
		c.Head.Since = noon
	}
	return &c
}
