package agents

import "fusebox/agent"

// speak ends each task: the person who reads the answer has written the message.
const speak = " Answer in the language of the message."

// Workflows are those that come with this version of the program. They use the agents of Shipped.
func Workflows() []agent.Workflow {
	return []agent.Workflow{contentPipeline(), comparison(), codeTask(), expertRound(), serviceTriage(), dataReport()}
}

func contentPipeline() agent.Workflow {
	return agent.Workflow{
		Name: "content-pipeline", Kind: agent.FlowSequence,
		Purpose: "Makes a text step by step: facts with sources, a draft, an edited version, and your approval.",
		Inputs: []agent.WorkflowInput{
			{Name: "topic", Label: "What the text is about", Required: true},
			{Name: "readers", Label: "Who reads it"},
			{Name: "words", Label: "How many words", Type: "integer"},
		},
		Steps: []agent.WorkflowStep{
			{
				Name: "research", Agent: "researcher", Retries: 1,
				Task: "Collect the facts for a text about the topic in the inputs; the message says what it is for. Hand back the findings with their sources, " +
					"the most important first, and what you could not find out." + speak,
			},
			{
				Name: "draft", Agent: "writer", Retries: 1, Needs: []string{"research"},
				Task: "Write the text that the message asks for, about the topic in the inputs, from the findings of the step research, and from nothing else. " +
					"Fit it to the readers and to the number of words where the inputs name them. Keep the citations." + speak,
			},
			{
				Name: "edit", Agent: "editor", Needs: []string{"research", "draft"},
				Task: "Edit the draft: mend its language, shorten it where it repeats itself, and check each statement against the findings of the step research. " +
					"Take out what they do not support. Hand back the whole text, and nothing but the text." + speak,
			},
			{Name: "approve", Person: agent.PersonApproves, Needs: []string{"edit"}},
		},
	}
}

func comparison() agent.Workflow {
	needs := []string{"fit", "cost", "risks"}
	angle := func(name, task string) agent.WorkflowStep {
		return agent.WorkflowStep{Name: name, Agent: "researcher", Retries: 1, Task: "Compare the options in the inputs for the purpose that the message names. " + task +
			" Treat each option in the same way, and name your sources." + speak}
	}
	return agent.Workflow{
		Name: "compare-options", Kind: agent.FlowParallel,
		Purpose: "Compares options: three researchers look at use, cost, and risks; an analyst weighs them.",
		Inputs: []agent.WorkflowInput{
			{Name: "options", Label: "What to compare, separated by commas", Required: true},
			{Name: "criteria", Label: "What matters most to you"},
		},
		Steps: []agent.WorkflowStep{
			angle(needs[0], "Your part is what each option can do, and how well that fits the criteria."),
			angle(needs[1], "Your part is what each option costs: at the beginning, while it is used, and when one leaves it."),
			angle(needs[2], "Your part is what can go wrong with each option, how likely that is, and what could be done about it."),
			{
				Name: "weigh", Agent: "analyst", Needs: needs,
				Task: "Weigh the options in the inputs by what the steps fit, cost, and risks have found. Hand back a table with a row for each option, " +
					"then the one that you recommend and the reason for it, then what would change the recommendation. Say where the findings disagree or are missing." + speak,
			},
		},
	}
}

func codeTask() agent.Workflow {
	return agent.Workflow{
		Name: "code-task", Kind: agent.FlowLoop, Rounds: 3,
		Purpose: "Changes code until a reviewer accepts it, at most three times; then you decide.",
		Steps: []agent.WorkflowStep{
			{
				Name: "code", Agent: "coder", Retries: 1,
				Task: "Do what the message asks for in the files of this chat, and run it. If there are remarks of a review, mend each of them, " +
					"or say why it stays as it is. Hand back what you changed, what you ran, and what it printed." + speak,
			},
			{
				Name: "review", Agent: "reviewer", Outputs: map[string]string{agent.DefaultAccept: "boolean", "remarks": "string"},
				Task: "Review what the coder has done against the message: read the files yourself. Hand back the value accepted, true only if nothing must be mended, " +
					"and the value remarks: what must be mended, each with its place and the reason." + speak,
			},
		},
	}
}

func expertRound() agent.Workflow {
	needs := []string{"facts", "numbers", "doubts"}
	expert := func(name, by, task string) agent.WorkflowStep {
		return agent.WorkflowStep{Name: name, Agent: by, Task: "You are one of three experts who discuss the message on a board that all of them read. " + task +
			" Take up what the others have said, by name. Say it in at most 200 words, and nothing that is on the board already." + speak}
	}
	return agent.Workflow{
		Name: "expert-round", Kind: agent.FlowMesh, Rounds: 3,
		Purpose: "Three experts discuss a question in rounds; a writer sums up.",
		Steps: []agent.WorkflowStep{
			expert(needs[0], "researcher", "Bring the facts, with their sources."),
			expert(needs[1], "analyst", "Bring the numbers: orders of magnitude, what they depend on, and how sure they are."),
			expert(needs[2], "reviewer", "Bring the doubts: what is assumed, what was left out, and what speaks against what the others say."),
			{
				Name: "summary", Agent: "writer", Needs: needs,
				Task: "Sum up what the three experts have said for somebody who has to decide: what they agree on, where they differ and why, " +
					"and what is still open. Keep their citations." + speak,
			},
		},
	}
}

func serviceTriage() agent.Workflow {
	return agent.Workflow{
		Name: "service-triage", Kind: agent.FlowHierarchy,
		Purpose: "Answers a customer's request: one agent leads, and hands parts of it to others.",
		Inputs: []agent.WorkflowInput{
			{Name: "customer", Label: "What you know of the customer"},
		},
		Steps: []agent.WorkflowStep{
			{
				Name: "lead", Agent: "writer",
				Task: "The message is a customer's request. Find out what the customer wants and how urgent it is. Hand what has to be looked up or computed to the others, " +
					"and your draft to who checks it. Then hand back: what it is about in one line, how urgent it is, and a reply that could be sent as it is. " +
					"Promise nothing that the documents do not say, and mark what a person has to decide." + speak,
			},
			{Name: "lookup", Agent: "researcher", Task: "Look up what our documents say about a question of a customer, with the passages." + speak},
			{Name: "compute", Agent: "analyst", Task: "Check amounts, dates, and other numbers of a request, and show how each came about." + speak},
			{Name: "check", Agent: "reviewer", Task: "Check a reply to a customer: whether it answers all that was asked, promises nothing that is not sure, and is polite." + speak},
		},
	}
}

func dataReport() agent.Workflow {
	return agent.Workflow{
		Name: "data-report", Kind: agent.FlowSequence,
		Purpose: "Makes a report from data: an analyst computes, a writer explains, and you correct it.",
		Inputs: []agent.WorkflowInput{
			{Name: "readers", Label: "Who reads it"},
			{Name: "table", Label: "With a table of all numbers", Type: "boolean"},
		},
		Steps: []agent.WorkflowStep{
			{
				Name: "analysis", Agent: "analyst", Retries: 1,
				Task: "Answer the question in the message from the data in the files and documents of this chat. Hand back each number with how it came about, " +
					"and what the data cannot say." + speak,
			},
			{
				Name: "report", Agent: "writer", Needs: []string{"analysis"},
				Task: "Write a report from the numbers of the step analysis, and from no others, for the readers that the inputs name. Begin with the answer to the question in the message, " +
					"then explain what it rests on, then its limits. Add a table of all numbers if the input table is true." + speak,
			},
			{Name: "correct", Person: agent.PersonCorrects, Needs: []string{"report"}},
		},
	}
}
