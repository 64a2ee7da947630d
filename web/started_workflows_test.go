package web_test

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestStartedWorkflowOverTheAPI: a workflow that an agent has started stands under its name in events,
// cards, bills, and pages, and its steps below it.
func TestStartedWorkflowOverTheAPI(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.root.says(http.MethodPost, "/api/v1/agents", fields{"name": "hand", "purpose": "Looks.", "instructions": "Look."}, 201)
	o.root.says(http.MethodPost, "/api/v1/workflows", fields{
		"name": "tour", "purpose": "Looks, and asks.", "kind": "sequence", "inputs": []fields{{"name": "where", "required": true}},
		"steps": []fields{{"agent": "hand", "task": "Look around."}, {"person": "approve", "task": "Is it all?"}},
	}, 201)
	chat := o.ana.conversation()
	run := o.asks(o.ana, chat, fields{"content": "What is to be seen?"})
	model := agenttest.Script(
		calls(
			agenttest.Call("d1", agent.DelegateTool, `{"workflow":"tour","task":"See what there is.","inputs":{"where":"north"}}`),
			agenttest.Call("d2", agent.DelegateTool, `{"workflow":"trip","task":"See what there is."}`)),
		agenttest.Turn{Text: "A sail."})
	model.Agents = map[string][]agenttest.Turn{"hand": {{Text: "A sail in the north."}}}
	o.plays(model)
	for _, door := range []string{"/c/" + chat, "/runs/" + run} {
		o.as(o.anaUser).get(door).check(t, want{status: 200, has: []string{"tour", "hand"}})
	}
	card := o.card()
	path := "/api/v1/approvals/" + card.ID
	o.ana.call(http.MethodGet, path, "").check(t, want{status: 200, has: []string{`"agent":"tour"`, `"workflow":"tour","task":"See what there is."`}})
	o.ana.says(http.MethodPost, path+"/decision", fields{"decision": "answer", "answer": "Yes", "generation": card.Generation}, 200)
	o.plays(model)

	events := o.ana.call(http.MethodGet, "/api/v1/conversations/"+chat+"/events?follow=false", "").body
	told{t, events}.has(`"workflow":"tour","workflowVersion":1,"task":"See what there is.`, `workflow: there is no workflow \"trip\"`, "- tour: Looks, and asks.")
	root := o.ana.call(http.MethodGet, "/api/v1/runs/"+run, "").body
	told{t, root}.has(`"status":"finished"`, `{"agent":"tour","runs":1,`, `{"agent":"hand","runs":1,`)
	flow := strings.SplitN(strings.SplitN(root, `"children":["`, 2)[1], `"`, 2)[0]
	told{t, o.ana.call(http.MethodGet, "/api/v1/runs/"+flow, "").body}.has(`"parentRunId":"`+run+`"`, `"workflow":{"name":"tour","version":1,`, `{"agent":"hand","runs":1,`)
	o.as(o.anaUser).get("/c/"+chat+"/runs/"+flow).check(t, want{status: 200, has: []string{"hand", "A sail in the north."}})
	o.as(o.anaUser).get("/runs/"+flow).check(t, want{status: 200, has: []string{"tour", "hand"}})
}
