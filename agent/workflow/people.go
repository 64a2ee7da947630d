package workflow

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
)

// maxDraft is how long a text may be that a person edits, in bytes.
const maxDraft = 20_000

// person has a person do a step. nil is one that is not settled.
func (p *planner) person(at int) *result {
	if r := p.given(at); r != nil {
		return r
	}
	step, name := p.Workflow.Steps[at], p.Workflow.StepName(at)
	key := Key{Place: at, Round: 1, Try: 1}
	had := p.joined(at)
	c, made := p.calls[key]
	switch {
	case !made:
		return p.put(key, step, name, had)
	case c.State == Open:
		return nil
	case c.State == Refused:
		return p.skipped(step.Person, name, had)
	case c.State == Failed:
		p.stop(agent.StatusFailed, agent.StopConsecutiveErrors, "Nobody could be asked in the step "+name+": "+c.Why)
		return nil
	}
	switch step.Person {
	case agent.PersonApproves:
		return p.approved(name, c, had)
	case agent.PersonCorrects:
		if len(had.Answer) > maxDraft {
			return p.approved(name, c, had)
		}
	case agent.PersonSupplements:
		if said := strings.TrimSpace(had.Answer); said != "" {
			c.Answer = said + "\n\n" + c.Answer
		}
	case agent.PersonChooses:
		for _, need := range p.needed(at) {
			if len(step.Options) == 0 && c.Answer == p.Workflow.StepName(need) {
				return &result{StepResult: p.results[need].StepResult}
			}
		}
	case agent.PersonTakesOver: // what they say in its place is the result
	}
	return &result{StepResult: agent.StepResult{Answer: c.Answer, Values: had.Values}}
}

// skipped is a step that its person does not do. It goes on with what there is, unless that
// needs them: then it ends the run.
func (p *planner) skipped(does agent.PersonStep, step string, had agent.StepResult) *result {
	switch does {
	case agent.PersonCorrects, agent.PersonSupplements, agent.PersonTakesOver:
		if had.Answer == "" && len(had.Values) == 0 {
			return &result{without: "A person skipped it."}
		}
		return &result{StepResult: had}
	case agent.PersonApproves, agent.PersonChooses:
	}
	p.stop(agent.StatusStopped, agent.StopRejected, "A person refused the step "+step+".")
	return nil
}

// approved is what a person has approved. "No" ends the run.
func (p *planner) approved(step string, c Call, had agent.StepResult) *result {
	if c.Answer != p.words.yes {
		p.stop(agent.StatusStopped, agent.StopRejected, "A person said no in the step "+step+".")
		return nil
	}
	return &result{StepResult: had}
}

// put puts a step before a person. It is settled at once where there is nothing to choose.
func (p *planner) put(key Key, step agent.WorkflowStep, name string, had agent.StepResult) *result {
	b, question := Begin{Key: key, Step: name}, cmp.Or(step.Task, p.words.asks[step.Person])
	switch step.Person {
	case agent.PersonApproves:
		p.ask(key, name, withText(question, had.Answer), []string{p.words.yes, p.words.no})
		return nil
	case agent.PersonChooses:
		options := step.Options
		if len(options) == 0 {
			needed := p.needed(key.Place)
			switch len(needed) {
			case 0:
				return &result{without: "There is nothing to choose from."}
			case 1:
				return &result{StepResult: p.results[needed[0]].StepResult}
			}
			for _, need := range needed {
				options = append(options, p.Workflow.StepName(need))
			}
		}
		p.ask(key, name, clip(question, maxQuestion), options)
		return nil
	case agent.PersonCorrects:
		if len(had.Answer) > maxDraft {
			p.ask(key, name, clip(p.words.tooLong+"\n\n"+question, maxQuestion), []string{p.words.yes, p.words.no})
			return nil
		}
		b.Ask = &Ask{Question: clip(question, maxQuestion), Draft: had.Answer}
	case agent.PersonSupplements:
		b.Ask = &Ask{Question: withText(question, had.Answer)}
	case agent.PersonTakesOver:
		b.Ask = &Ask{Reason: withText(question, had.Answer)}
	}
	p.begin = append(p.begin, b)
	return nil
}

// joined is what a step needs, as one text and with all values.
func (p *planner) joined(at int) agent.StepResult {
	needed := p.needed(at)
	if len(needed) == 1 {
		return p.results[needed[0]].StepResult
	}
	var all agent.StepResult
	var texts []string
	for _, need := range needed {
		r := p.results[need]
		if said := strings.TrimSpace(r.Answer); said != "" {
			texts = append(texts, "## "+p.Workflow.StepName(need)+"\n\n"+said)
		}
		if all.Values == nil {
			all.Values = maps.Clone(r.Values)
		} else {
			maps.Copy(all.Values, r.Values)
		}
	}
	all.Answer = strings.Join(texts, "\n\n")
	return all
}

// maxQuestion is how long a question to a person may be, in characters.
const maxQuestion = 2000

// withText is a question with the beginning of what it is about.
func withText(question, text string) string {
	question = clip(question, maxQuestion)
	if text = strings.TrimSpace(text); text == "" {
		return question
	}
	return clip(question+"\n\n"+text, maxQuestion)
}

// clip shortens a text to some characters, the last of which is an ellipsis then.
func clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(slices.Concat(runes[:n-1], []rune("…")))
}
