package styleguide

import (
	"time"

	"github.com/a-h/templ"

	"fusebox/views/part"
)

// noon is when everything happens.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// nasty stands wherever a text comes from outside: it must never become markup.
var nasty = `<script>alert("1")</script> & 'q'`

// toolAsk is a command that waits for a decision.
func toolAsk() part.Approval {
	return part.Approval{
		ID: "1", DOM: "a-1", Kind: "tool", Risk: "high", Head: "Run run_shell?", Why: nasty, Args: `{"command":"ls"}`, ArgsHash: "abc",
		Generation: 2, CSRF: "tok", Expires: noon, MayDecide: true,
		Call: &part.CallAsked{Tool: "run_shell", Effect: "runs a program", Rule: "mode default", Because: "Rule: programs", Command: "ls " + nasty, Cwd: "w"},
	}
}

// cards are those of calls and questions, pending, settled and for readers.
func cards() map[string]templ.Component {
	tool := toolAsk()
	reader := tool
	reader.DOM, reader.MayDecide = "a-reader", false
	critical := tool
	critical.DOM = "a-critical"
	critical.Risk, critical.Critical, critical.Alone = "critical", true, true
	settled := tool
	settled.DOM = "a-settled"
	settled.Settled = &part.Settled{Tone: "tripped", Verb: "Rejected", By: "ana@example.com", Comment: nasty, At: noon}
	write := tool
	write.DOM = "a-write"
	write.Call = &part.CallAsked{Tool: "write_file", Diff: []part.DiffLine{{Sign: "@", Text: "@@ -1 +1 @@"}, {Sign: "-", Text: "old"}, {Sign: "+", Text: nasty}, {Sign: " ", Text: "same"}}}
	after := tool
	after.DOM = "a-after"
	after.Call = &part.CallAsked{
		Tool: "run_shell", Command: "sh run.sh",
		Before: []part.EarlierCall{
			{Tool: "write_file", Diff: []part.DiffLine{{Sign: "+", Text: nasty}}}, {Tool: "run_shell", Command: nasty, Asks: true},
		},
		Files: part.FilesShown{Decide: true, Names: []string{"run.sh", nasty}, More: 3, Changed: []string{"run.sh", nasty + " (new)"}, AllowedBy: "rex@example.com", AllowedAt: noon},
	}
	after.Reach = part.Reach{Always: true, Days: 30, Person: "ana@example.com", Pattern: "command = ls *", PatternField: `{"command":"ls *"}`}
	draft := part.Approval{
		ID: "6", DOM: "a-6", Kind: "question", Risk: "low", Head: "The agent asks", Why: "Shall I send this?", Generation: 1, CSRF: "tok", MayDecide: true,
		Ask: &part.QuestionShown{FreeText: true, Proposed: "\nDear \u202eBo,\n\n" + nasty, Visible: "\nDear ‹U+202E›Bo,\n\n" + nasty},
	}
	return map[string]templ.Component{
		"approval-after":    part.ApprovalCard(after),
		"approval-tool":     part.ApprovalCard(tool),
		"approval-reader":   part.ApprovalCard(reader),
		"approval-critical": part.ApprovalCard(critical),
		"approval-settled":  part.ApprovalCard(settled),
		"approval-write":    part.ApprovalCard(write),
		"approval-child":    part.ApprovalCard(asksFor(tool)),
		"approval-question": part.ApprovalCard(part.Approval{
			ID: "4", DOM: "a-4", Kind: "question", Risk: "low", Head: "The agent asks", Why: "Which city?", Generation: 1, CSRF: "tok", MayDecide: true,
		}),
		"approval-draft": part.ApprovalCard(draft),
		"approval-draft-reader": part.ApprovalCard(func(a part.Approval) part.Approval {
			a.DOM, a.MayDecide, a.ForOwner = "a-7", false, true
			return a
		}(draft)),
		"approval-draft-settled": part.ApprovalCard(func(a part.Approval) part.Approval {
			a.DOM = "a-8"
			a.Settled = &part.Settled{Tone: "good", Verb: "Answered", By: "ann@example.com", At: noon, Answer: "\nDear Ada,\n\nit is done.\n"}
			return a
		}(draft)),
		"approval-outcome": part.ApprovalCard(part.Approval{
			ID: "5", DOM: "a-5", Kind: "outcome", Risk: "high", Head: "Did run_shell happen?", Why: "The server stopped.", Args: "{}", Generation: 1,
			CSRF: "tok", MayDecide: true, Call: &part.CallAsked{Tool: "run_shell", Started: noon, Key: "r/c"},
		}),
	}
}

// asksFor is a card of a child run.
func asksFor(a part.Approval) part.Approval {
	a.ID, a.DOM = "9", "a-9"
	a.Path = []part.Asker{{Name: "main chat", Task: "Tidy up"}, {Name: nasty, Task: nasty}, {Name: "hand", Task: "Append CLEAN to effects.log"}}
	return a
}

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

// budgetCards are those of budgets, of a run and shared.
func budgetCards() map[string]templ.Component {
	return map[string]templ.Component{
		"approval-budget": part.ApprovalCard(part.Approval{
			ID: "3", DOM: "a-3", Kind: "budget", Risk: "high", Head: "No room in the token budget", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			Budget: &part.BudgetShown{
				Name: "This run", NextTokens: "4.5k", NextMoney: "$0.02", RaiseTokens: "200000",
				Meters: []part.BudgetMeter{{Name: "Tokens", Used: "198k", Limit: "200k", Left: "2k", Percent: 99, Level: part.Warm}},
			},
		}),
		"approval-budget-shared": part.ApprovalCard(part.Approval{
			ID: "8", DOM: "a-8", Kind: "budget", Risk: "high", Head: "No room in the spending budget", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			Draft: part.Draft{RaiseUSD: "much", Errors: map[string]string{"raise_usd": "is not an amount of dollars"}},
			Budget: &part.BudgetShown{
				Name: "Everybody, this month", NextTokens: "41.2k", NextMoney: "$0.12", Model: nasty, RaiseUSD: "1.00", Reset: &part.BudgetReset{Text: "1 December 00:00", At: noon},
				Meters: []part.BudgetMeter{{Name: "Money", Used: "$10.00", Limit: "$10.00", Held: "$0.20", Raised: "$1.00", Left: "$0.00", Percent: 100, HeldPercent: 2, Level: part.Tripped}},
			},
		}),
		"approval-budget-reviewer": part.ApprovalCard(part.Approval{
			ID: "9", DOM: "a-9", Kind: "budget", Risk: "high", Head: "A model without a price", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			NoApprove: "Only an admin can raise this budget.",
			Budget:    &part.BudgetShown{Name: "Group Research, today", NextTokens: "41.2k", Unpriced: true, Model: "new-model", Meters: []part.BudgetMeter{{Name: "Money", Percent: 20, Level: part.Cool}}},
		}),
	}
}

// loopCards are those of each kind of loop.
func loopCards() map[string]templ.Component {
	return map[string]templ.Component{
		"approval-loop": part.ApprovalCard(part.Approval{
			ID: "2", DOM: "a-2", Kind: "loop", Risk: "medium", Head: "Loop breaker tripped", Why: "8 times.", Generation: 1, CSRF: "tok", MayDecide: true,
			Options: []part.Choice{
				{ID: "finish_now", Label: "Finish now", Hint: "It answers.", Cost: "1k tokens"}, {ID: "hint", Label: "Hint", Hint: "It is executed.", Guides: true},
				{ID: "allow_more", Label: "Allow more", Hint: "Then as before.", Counts: true, More: true}, {ID: "plain", Label: "Go on", More: true},
			},
			Loop: &part.LoopShown{
				Name: "The same call in a row", Length: "8 calls, trips at 8", Cost: "3 calls cost 13.5k tokens, $0.03",
				Detector: "generic_repeat", Also: []string{"no_progress (8): the same"},
				Pattern: []part.LoopStep{{Times: 8, Tool: "calculator", Args: []part.Piece{{Text: nasty}}, Gives: nasty}},
				Calls: []part.LoopCall{
					{N: 1, Tool: "calculator", Args: []part.Piece{{Text: nasty}}, Result: []part.Piece{{Text: "try "}, {Text: nasty, New: true}}, Tokens: "4.5k", Cost: "$0.01"},
					{N: 2, Tool: "calculator", SameArgs: true, SameResult: true, Tokens: "4.5k", Cost: "$0.01"},
					{N: 3, Tool: "calculator", SameArgs: true, Blocked: true, Tokens: "4.5k", Cost: "$0.01"},
				},
			},
		}),
		"approval-loop-long": part.ApprovalCard(part.Approval{
			ID: "6", DOM: "a-6", Kind: "loop", Risk: "medium", Head: "Loop breaker tripped", Why: "Round and round.", Generation: 1, CSRF: "tok", MayDecide: true,
			Draft:   part.Draft{N: "99", Errors: map[string]string{"n": "is 99; allowed: 1 to 20"}},
			Options: []part.Choice{{ID: "finish_now", Label: "Finish now"}, {ID: "allow_more", Label: "Allow more", Counts: true, More: true}},
			Loop: &part.LoopShown{
				Name: "Calls that go round", Length: "4 rounds, trips at 4", Detector: "cycle",
				Pattern: []part.LoopStep{{Times: 4, Tool: "look", Args: []part.Piece{{Text: "{}"}}, Gives: "a"}},
				Calls:   []part.LoopCall{{N: 1, Tool: "look", Args: []part.Piece{{Text: "{}"}}, Result: []part.Piece{{Text: "a"}}}},
				Folded:  []part.LoopCall{{N: 2, Tool: "look", SameArgs: true, SameResult: true}},
				Last:    []part.LoopCall{{N: 3, Tool: "look", SameArgs: true, Blocked: true}},
			},
		}),
		"approval-chant": part.ApprovalCard(part.Approval{
			ID: "7", DOM: "a-7", Kind: "loop", Risk: "medium", Head: "Loop breaker tripped", Why: "Again and again.", Generation: 1, CSRF: "tok", MayDecide: true, AboutRun: true,
			Options: []part.Choice{{ID: "finish_now", Label: "Finish now"}, {ID: "plain", Label: "Go on", More: true}},
			Loop:    &part.LoopShown{Name: "An answer that repeats itself", Length: "5 times, trips at 5", Detector: "chanting", Text: nasty, Place: "It begins 7 characters into the answer, after " + nasty},
		}),
	}
}
