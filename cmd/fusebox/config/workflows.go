package config

import (
	"maps"
	"slices"

	"fusebox/agent"
)

const workflowsKey = "workflows"

// workflowTable is one [workflows.NAME] of the configuration file.
type workflowTable struct {
	Purpose string             `toml:"purpose"`
	Kind    agent.WorkflowKind `toml:"kind"`
	Inputs  []workflowInput    `toml:"inputs"`
	Steps   []workflowStep     `toml:"steps"`
	Rounds  int                `toml:"rounds"`
	Accept  string             `toml:"accept"`
	Join    agent.WorkflowJoin `toml:"join"`
	Count   int                `toml:"count"`
	Judge   string             `toml:"judge"`
}

// workflowInput is an agent.WorkflowInput in the file.
type workflowInput struct {
	Name     string `toml:"name"`
	Label    string `toml:"label"`
	Type     string `toml:"type"`
	Required bool   `toml:"required"`
}

// workflowStep is an agent.WorkflowStep in the file.
type workflowStep struct {
	Name     string            `toml:"name"`
	Agent    string            `toml:"agent"`
	Person   agent.PersonStep  `toml:"person"`
	Task     string            `toml:"task"`
	Options  []string          `toml:"options"`
	Needs    []string          `toml:"needs"`
	Outputs  map[string]string `toml:"outputs"`
	Retries  int               `toml:"retries"`
	Fallback string            `toml:"fallback"`
}

// workflows reads the tables, by name.
func (f fileValues) workflows() ([]agent.Workflow, error) {
	found, err := tablesByName[workflowTable](f, workflowsKey, agent.MaxWorkflows,
		"purpose, kind, inputs, steps, rounds, accept, join, count, judge; in inputs: name, label, type, required; "+
			"in steps: name, agent, person, task, options, needs, outputs, retries, fallback")
	if err != nil {
		return nil, err
	}
	var all []agent.Workflow
	for _, name := range slices.Sorted(maps.Keys(found)) {
		w := found[name].workflow(name).Tidy()
		if problem := FieldProblem(w.Check()); problem != "" {
			return nil, wrongWorkflow(f.path, name, problem)
		}
		all = append(all, w)
	}
	return all, nil
}

func wrongWorkflow(path, name, problem string) error {
	return Errorf("config file %s, [%s.%s] %s", path, workflowsKey, agent.Clip(name, 50), problem)
}

// CheckWorkflows refuses a workflow of the file that names an agent which is not among those there
// are. They are known only once the database is open.
func (c *Config) CheckWorkflows(agents []agent.Agent) error {
	for _, w := range c.Workflows {
		if problem := FieldProblem(w.CheckAgents(agents)); problem != "" {
			return wrongWorkflow(c.File, w.Name, problem)
		}
	}
	return nil
}

func (t workflowTable) workflow(name string) agent.Workflow {
	w := agent.Workflow{Name: name, Purpose: t.Purpose, Kind: t.Kind, Rounds: t.Rounds, Accept: t.Accept, Join: t.Join, Count: t.Count, Judge: t.Judge}
	for _, in := range t.Inputs {
		w.Inputs = append(w.Inputs, agent.WorkflowInput(in))
	}
	for _, step := range t.Steps {
		w.Steps = append(w.Steps, agent.WorkflowStep(step))
	}
	return w
}
