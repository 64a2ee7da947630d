package page

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/views/part"
)

func TestDecisionOfForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, form string
		want       agent.Decision
		field      string
	}{
		{"approve drops the arguments that the form also sends", "decision=approve&args={}&comment=+ok+&scope=run&args_hash=h&generation=2",
			agent.Decision{Verb: agent.DecideApprove, Comment: "ok", Scope: agent.ScopeRun, ArgsHash: "h", Generation: 2}, ""},
		{"edit takes them", `decision=edit&args={"a":1}`, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(`{"a":1}`)}, ""},
		{"edit of broken JSON", `decision=edit&args={"a"`, agent.Decision{}, "args"},
		{"resume with an option", "decision=resume&answer=finish_now", agent.Decision{Verb: agent.DecideResume, Answer: "finish_now"}, ""},
		{"the way behind the verb", "decision=resume:allow_more&n=3&answer=typed+to+take+over", agent.Decision{Verb: agent.DecideResume, Answer: "allow_more", N: 3}, ""},
		{"a hint", "decision=resume:hint&comment=try+b&n=5", agent.Decision{Verb: agent.DecideResume, Answer: "plain", Comment: "try b"}, ""},
		{"a way and no number", "decision=resume:allow_more&n=many", agent.Decision{}, "n"},
		{"raise", "decision=resume&raise_tokens_by=+5000", agent.Decision{Verb: agent.DecideResume, RaiseTokensBy: 5000}, ""},
		{"raise by a word", "decision=resume&raise_tokens_by=much", agent.Decision{}, "raise_tokens_by"},
		{"raise in dollars", "decision=resume&raise_usd=%242.5", agent.Decision{Verb: agent.DecideResume, RaiseMicrosBy: 2_500_000}, ""},
		{"raise by dollars with a comma", "decision=resume&raise_usd=2,5", agent.Decision{}, "raise_usd"},
		{"reject drops the option that is preselected", "decision=reject&answer=plain", agent.Decision{Verb: agent.DecideReject}, ""},
		{"a generation that is none", "decision=reject&generation=x", agent.Decision{}, "generation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form, err := url.ParseQuery(tt.form)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decisionOf(form)
			if tt.field != "" {
				if agent.FieldErrors(err)[tt.field] == "" {
					t.Errorf("error is %v, want one at %s", err, tt.field)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDraftKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	a := agent.Approval{Args: json.RawMessage(`{"command":"ls"}`)}
	form := url.Values{"comment": {"no"}, "args": {`{"command":5}`}, "scope": {"run"}, "raise_tokens_by": {"7"}}
	err := &agent.Error{Code: agent.Invalid, Fields: []agent.FieldError{
		{Field: "args.command", Detail: "must be a string"}, {Field: "args", Detail: "too odd"}, {Field: "raiseTokensBy", Detail: "is too much"},
	}}
	want := part.Draft{
		Comment: "no", Args: `{"command":5}`, Scope: "run", Raise: "7",
		Errors: map[string]string{"args": "command: must be a string; too odd", "raise_tokens_by": "is too much"},
	}
	if diff := cmp.Diff(want, draftOf(form, a, err)); diff != "" {
		t.Error(diff)
	}
	form.Set("args", "{\n  \"command\": \"ls\"\n}")
	if got := draftOf(form, a, err); got.Args != "" {
		t.Errorf("arguments that nobody changed are kept as %q", got.Args)
	}
}
