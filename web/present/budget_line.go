package present

import (
	"fmt"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
)

// BudgetLine tells that a budget is nearly used up, or all of it.
func BudgetLine(id string, d agent.BudgetEvent, zone *time.Location) part.Line {
	line := part.Line{ID: id, Icon: "budget", Tone: part.Warm, Head: "Budget", Text: budgetSentence(d, zone)}
	if d.Level == "reached" {
		line.Tone = part.Tripped
	}
	return line
}

// budgetSentence says how much of a budget is used, of the fuller limit where
// there are two, and when it is whole again.
func budgetSentence(d agent.BudgetEvent, zone *time.Location) string {
	percent, figures := percentOf(d.UsedTokens, d.LimitTokens), Tokens(d.UsedTokens)+" of "+Tokens(d.LimitTokens)+" tokens"
	if p := percentOf(d.UsedMicros, d.LimitMicros); p > percent || d.LimitTokens == 0 {
		percent, figures = p, Money(d.UsedMicros)+" of "+Money(d.LimitMicros)
	}
	text := fmt.Sprintf("%d %% of the budget of %s is used: %s.", percent, scopePhrase(d.Scope, d.SubjectName), figures)
	if d.LimitTokens == 0 && d.LimitMicros == 0 { // its money is hidden
		text = hiddenSentence(d)
	}
	if !d.ResetsAt.IsZero() {
		text += " Resets " + d.ResetsAt.In(zone).Format("2 January") + "."
	}
	return text
}

// hiddenSentence is for those who are not shown money.
func hiddenSentence(d agent.BudgetEvent) string {
	phrase := scopePhrase(d.Scope, d.SubjectName)
	if d.Level == "reached" {
		return "The budget of " + phrase + " is used up."
	}
	return "Most of the budget of " + phrase + " is used."
}

// scopePhrase names a budget within a sentence.
func scopePhrase(scope, name string) string {
	who, span := cutScope(scope)
	phrase := map[agent.BudgetWho]string{
		agent.WhoUser: name, agent.WhoGroup: "the group " + name, agent.WhoEverybody: "everybody",
	}[who]
	if phrase == "" {
		phrase = "this " + string(who)
	}
	if now := spanWords[span].now; now != "" {
		phrase += " for " + now
	}
	return phrase
}
