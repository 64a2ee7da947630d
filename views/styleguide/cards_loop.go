package styleguide

import (
	"github.com/a-h/templ"

	"fusebox/views/part"
)

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
