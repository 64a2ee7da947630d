package styleguide

import (
	"maps"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// samples are all parts by their names.
func samples() map[string]templ.Component {
	all := parts()
	maps.Copy(all, chatLists())
	maps.Copy(all, children())
	maps.Copy(all, cards())
	maps.Copy(all, loopCards())
	maps.Copy(all, budgetCards())
	return all
}

// parts are all others, in each of their states.
func parts() map[string]templ.Component {
	return map[string]templ.Component{
		"said": part.Said(part.UserMessage{ID: "m-1", Text: nasty + "\nsecond line", At: noon, Versions: part.Versions{ID: "m-1-v"}}),
		"answer": part.AnswerView(part.Answer{
			ID: "m-2", Versions: part.Versions{ID: "m-2-v", Message: "2", At: 2, Of: 3, Before: "1", After: "3", Action: "/c/1/branch", CSRF: "x"}, Open: true, Waits: []part.Wait{{ID: "m-2-w0", Text: "Retry 1 of 10 after status 429"}, {ID: "m-2-w1", Text: nasty, Until: noon}},
			Reasoning: part.Reasoning{ID: "m-2-r", Text: nasty, Took: "3 s"},
			Sources:   part.Sources{ID: "m-2-s"},
			Acts:      part.Acts{Path: "/c/1/messages/2", CSRF: "x", At: noon, Rates: true, Keeps: true, Rating: "down", Reason: nasty},
			Blocks:    []part.Block{{ID: "m-2-b0", HTML: "<p>sanitised</p>"}, {ID: "m-2-b1", Live: true, Language: "go", Code: nasty}},
			Groups:    []part.ToolGroup{{Tools: []part.Tool{{ID: "t-1", Name: "get_weather", Label: "being written", Args: `{"ci`}}}},
		}),
		"sources": part.SourcesView(part.Sources{ID: "m-5-s", Items: []part.Source{
			{ID: "m-5-s1", N: 1, Name: nasty, Href: "https://a.example/?a=1&b=2", Host: "a.example"}, {ID: "m-5-s3", N: 3, Name: "Notes"}, {ID: "m-5-s4", N: 4, Name: "x", Href: "javascript:alert(1)"},
			{ID: "m-5-s5", N: 5, Name: nasty, Href: "/passages/p?document=d", Replaced: true, Misquoted: true}, {ID: "m-5-s6", N: 6, Href: "/passages/p?document=e", DeletedAt: noon}, {ID: "m-5-s7", N: 7}, {ID: "m-5-s8", N: 8, Closed: true},
		}}),
		"answer-empty":   part.AnswerView(part.Answer{ID: "m-3", Versions: part.Versions{ID: "m-3-v"}, Sources: part.Sources{ID: "m-3-s"}, Reasoning: part.Reasoning{ID: "m-3-r"}}),
		"answer-ahead":   part.AheadView(part.Ahead{ID: "m-next", Versions: part.Versions{ID: "m-next-v", At: 2, Of: 2, Before: "1", Link: "/c/1?branch="}}),
		"away":           part.AwayView(part.Away{Runs: true, Href: "/c/1?run=r"}),
		"reasoning-open": part.ReasoningView(part.Reasoning{ID: "m-4-r", Text: "Hm", Open: true}),
		"tool-running":   part.ToolCard(part.Tool{ID: "t-2", Name: nasty, State: "executing", Label: "running", Object: nasty, Args: "{}", Live: "line 1\n"}),
		"tool-success":   part.ToolCard(part.Tool{ID: "t-3", Name: "calculator", State: "success", Label: "done", Object: "1+1", Gives: "2", Args: "{}", Result: nasty, Took: "0.4 s", Cut: "28k more bytes", Rest: "/runs/r/text?call=c&of=result"}),
		"tool-pictures":  part.ToolCard(part.Tool{ID: "t-9", Name: nasty, State: "success", Label: "done", Args: "{}", Result: "[image/png, 12 KB, shown to the person]", Pictures: []part.Picture{{Href: "/api/v1/runs/r/images/0.png", Kind: "image/png, 12 KB"}}}),
		"tool-error":     part.ToolCard(part.Tool{ID: "t-4", Name: "read_file", State: "error", Label: "failed", Args: "{}", Result: "no such file", Failed: true}),
		"tool-group": part.ToolRows("m-1-t", []part.ToolGroup{{
			ID: "t-6-g", Name: "calculator", Count: 3, Objects: "1+1, " + nasty, State: "success", Label: "done", Took: "2.1 s",
			Tools: []part.Tool{{ID: "t-6", Name: "calculator", Object: "1+1"}, {ID: "t-7", Name: "calculator", Object: nasty}, {ID: "t-8", Name: "calculator"}},
		}}),
		"tool-waits":  part.ToolCard(part.Tool{ID: "t-5", Name: "run_shell", State: "awaiting_approval", Label: "waits for approval", Args: "{}"}),
		"line-notice": part.LineView(part.Line{ID: "e-1", Icon: "info", Text: nasty}),
		"line-summary": part.LineView(part.Line{ID: "e-7", Icon: "info", Text: "Earlier messages were summarised.", Detail: part.Detail{
			HTML: "<p>What was said.</p>", Cut: []part.CutResult{{Href: "#t-1", Tool: nasty, Size: "4,012 characters"}},
		}}),
		"line-guard":    part.LineView(part.Line{ID: "e-2", Tone: "warm", Icon: "warning", Head: "Breaker warning.", Text: nasty}),
		"failure":       part.FailureView(part.Failure{ID: "e-3", Text: nasty, Advice: "Send it again in a while.", Again: "/runs/r1/again", Edit: true, CSRF: "token"}),
		"failure-final": part.FailureView(part.Failure{ID: "e-8", Text: nasty, Advice: "Choose another model.", Change: true, Edit: true, CSRF: "token"}),
		"end-good":      part.EndLine(part.End{ID: "e-4", Tone: "good", Icon: "check", Head: "Done", Steps: "2 steps", Tokens: "9k tokens", Cost: "$0.02", Took: "3.9 s", RunHref: "/runs/r"}),
		"end-tripped":   part.EndLine(part.End{ID: "e-5", Tone: "tripped", Icon: "bolt", Head: "Stopped", Text: nasty, Steps: "1 step", Tokens: "9 tokens (estimated)", Cost: "$0.0042", RunHref: "/runs/r"}),
		"end-cut":       part.EndLine(part.End{ID: "e-6", Tone: "warm", Icon: "stop", Head: "Stopped by a person", Steps: "1 step", Tokens: "1k tokens", RunHref: "/runs/r", Continue: "/c/c/messages/m/continue"}),
		"flow":          part.FlowView(flow()),
		"plan-running":  part.PlanView(plan(true, false, "")),
		"plan-paused":   part.PlanView(plan(false, false, "/runs/r/plan")),
		"plan-ended":    part.PlanView(plan(false, true, "")),
		"queue": part.QueueView(part.Queue{Action: "/c/1/queue", CSRF: "tok", Says: "Held: 3 messages wait", Held: true, Items: []part.QueuedMessage{
			{ID: "1", Text: "Use the other folder", When: "The agent hears it at its next step."}, {ID: "2", Text: "Then the invoices"}, {ID: "3", Text: "A long one…", Cut: true},
		}}),
		"run-state-running":  part.RunStateView(part.RunState{RunID: "r", Status: "running", Label: "Working…", MayStop: true, CSRF: "tok"}),
		"run-state-paused":   part.RunStateView(part.RunState{RunID: "r", Status: "paused", Label: "Waits for a decision", MayStop: true, Card: "a-1", CSRF: "tok"}),
		"run-state-aborting": part.RunStateView(part.RunState{RunID: "r", Status: "paused", Label: "Stops", Card: "a-1", Aborting: true}),
		"run-state-question": part.RunStateView(part.RunState{RunID: "r", Status: "paused", Label: "Waits for you", Card: "a-1", Question: "a"}),
		"run-state-finished": part.RunStateView(part.RunState{RunID: "r", Status: "finished", MayStop: true}),
		"fuses": part.FusePanel("fuses", []part.Fuse{
			{Key: "loop", Name: "LOOP", Means: "Same calls", Then: "It pauses.", Value: "8", Limit: "8", Lit: 8, Level: part.Tripped, Href: "#a-1"},
			{Key: "tokens", Name: "TOKENS", Means: "Tokens", Whose: nasty, Value: "170k", Limit: "200k", Lit: 6, Level: part.Warm, Ways: []part.FuseWay{{Href: "/settings", Label: "Your usage"}}},
			{Key: "cost", Name: "COST", Means: "Money", Value: "$0.08", Level: part.Cool},
			{Key: "time", Name: "TIME", Means: "Time", Value: "1:42", Limit: "10:00", Lit: 1, Level: part.Cool, Since: noon},
		}),
		"fuses-over": part.FusesAfter("fuses-over", []part.Fuse{
			{Key: "loop", Name: "LOOP", Means: "Same calls", Value: "8", Limit: "8", Lit: 8, Level: part.Tripped, Href: "#a-1"},
			{Key: "tokens", Name: "TOKENS", Means: "Tokens", Value: "210k", Limit: "200k", Lit: 8, Level: part.Warm, Over: true},
		}),
		"fuses-quiet":   part.FusePanel("fuses-quiet", []part.Fuse{{Key: "loop", Name: "LOOP", Means: "Same calls", Value: "1", Limit: "8", Lit: 1, Level: part.Cool}}),
		"pending-count": part.PendingCount(2),
		"pending-none":  part.PendingCount(0),
		"bell-alerts": part.BellMenu("bell", part.Bell{
			Unread: 1, Count: "8", More: 2, Unseen: 7,
			Items: []part.BellItem{
				{ID: "a1", What: "Run a command — make", Risk: "high", Tone: "tripped", Who: "bob@example.com", Title: nasty, Asked: noon, Unread: true, Equal: 3},
				{ID: "a2", What: "Which colour?", Who: "ana@example.com", Asked: noon, Siblings: 200},
			},
			Alerts: []agent.Alert{
				{ID: "x1", Kind: agent.AlertBudgetReached, Message: nasty, At: noon}, {ID: "x2", Kind: agent.AlertBudgetWarning, Message: "80 %", At: noon},
			},
		}),
		"bell-none": part.BellMenu("bell-none", part.Bell{Count: "0"}),
		"empty":     part.Empty("inbox", "Nothing waits", "New ones arrive by themselves."),
	}
}

// chatLists are lists of chats, with some and without.
func chatLists() map[string]templ.Component {
	return map[string]templ.Component{
		"chat-list": part.ChatList(part.ChatListProps{Groups: []part.ChatGroup{{Label: "Last week", Items: []part.ChatItem{
			{ID: "1", Title: nasty, Said: nasty, At: noon, Active: true, Status: "running"}, {ID: "2", Title: "Waits", Said: "May I?", At: noon, Status: "paused"}, {ID: "3", Title: "Quiet", At: noon},
		}}}, Shown: 3, Found: 600, More: "?chats=120"}),
		"chat-list-empty":   part.ChatList(part.ChatListProps{}),
		"chat-list-nothing": part.ChatList(part.ChatListProps{Search: nasty}),
		"chat-list-found":   part.ChatList(part.ChatListProps{Groups: []part.ChatGroup{{Label: "Found", Items: []part.ChatItem{{ID: "1", Title: "Found", At: noon}}}}, Search: "Fou", Shown: 1, Found: 1}),
	}
}

// plan has a step of each status, for a run that is at work, waits, or has ended.
func plan(works, ended bool, edit string) part.Plan {
	return part.Plan{
		ID: "plan-1", Works: works, Ended: ended, Edit: edit,
		Steps: []part.PlanStep{
			{Step: "Read the figures", Status: "completed"}, {Step: nasty, Status: "in_progress"},
			{Step: "Ask Ben", Status: "blocked", Note: nasty}, {Step: "Send it", Status: "not_started"},
		},
	}
}

// flow are steps of a workflow in each of their states.
func flow() part.Flow {
	return part.Flow{ID: "flow-1", Name: "article", Version: 2, Cost: "$0.02 so far", Most: "at most $0.50", Steps: []part.FlowStep{
		{Name: "facts", Who: "scout", State: "done", Facts: []string{"begun 2 times", "$0.02"}, Run: "/runs/r", Again: "/runs/r/again?step=facts"}, {Name: "check", Who: "A person", State: "awaiting_person"},
		{Name: "draft", Who: "scribe", State: "waiting", Note: "waits for check"}, {Name: "look", Who: "scout", State: "running"}, {Name: "other", Who: "scout", State: "stopped"},
		{Name: "broken", Who: "scout", State: "failed"}, {Name: "left", Who: "scout", State: "skipped"}, {Name: "old", Who: "scout", State: "done", Note: "reused from an earlier run"},
	}}
}
