package service

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// Models are those that people may choose.
type Models struct {
	// Source lists what the endpoints have.
	Source interface{ Models() []agent.ModelInfo }
	// Configured is the default model of the configuration, "" where that names none.
	Configured string
	// DemoModel is the model that answers as long as there is no endpoint, "" where
	// there is one; nil is never.
	DemoModel func() string
	Store     SettingStore
	Prices    PriceBook
	Clock     agent.Clock
}

// Demo is the demo model where it answers, "" where an endpoint does.
func (s *Models) Demo() string {
	if s.DemoModel == nil {
		return ""
	}
	return s.DemoModel()
}

// Fixed is the default model that no admin chooses: the configured one, or the demo
// model where it answers; "" where there is none.
func (s *Models) Fixed() string { return cmp.Or(s.Configured, s.Demo()) }

// Default is the model of a conversation that names none: the fixed one, the one that an admin has chosen, or the only one there is. It is "" where an admin
// has to choose: no model is taken silently, whatever it costs.
func (s *Models) Default(ctx context.Context) (string, error) {
	if fixed := s.Fixed(); fixed != "" {
		return fixed, nil
	}
	chosen, err := s.Store.Setting(ctx, agent.DefaultModelKey)
	if chosen != "" || err != nil {
		return chosen, err
	}
	if offered := s.Offered(); len(offered) == 1 {
		return offered[0].ID, nil
	}
	return "", nil
}

// Cheapest is the model of a program that names none, as long as no admin has chosen one:
// of those whose price is known the one with the lowest, else the first that chats; ""
// where there is none.
func (s *Models) Cheapest() string {
	best, lowest := "", int64(-1)
	for _, m := range s.Offered() {
		row, known := s.Prices.Find(m.ID, s.Clock.Now())
		price := row.Price.Input + row.Price.Output
		if best == "" || known && row.Known && (lowest < 0 || price < lowest) {
			best = m.ID
			if known && row.Known {
				lowest = price
			}
		}
	}
	return best
}

// ChooseDefault makes a model the default one. The caller has checked that the viewer
// is an admin. Conflict where the configuration names one, Invalid for a model that is not offered.
func (s *Models) ChooseDefault(ctx context.Context, v agent.Viewer, id string) error {
	if s.Configured != "" {
		return agent.Errorf(agent.Conflict, "The default model is set in the configuration: -model or FUSEBOX_MODEL.")
	}
	if s.Demo() != "" {
		return agent.Errorf(agent.Conflict, "Only the demo model answers. Connect an endpoint first.")
	}
	if err := s.Check(id); err != nil {
		return err
	}
	return s.Store.SetSetting(ctx, v.Email, agent.DefaultModelKey, id)
}

// All are the models of all endpoints, those too that don't chat. The configured
// default is among them, whether an endpoint lists it or not.
func (s *Models) All() []agent.ModelInfo {
	models := s.Source.Models()
	if s.Configured != "" && !slices.ContainsFunc(models, func(m agent.ModelInfo) bool { return m.ID == s.Configured }) {
		models = slices.Insert(models, 0, agent.ModelInfo{ID: s.Configured})
	}
	return models
}

// Thinks reports whether a model can think.
func (s *Models) Thinks(id string) bool {
	return slices.ContainsFunc(s.Source.Models(), func(m agent.ModelInfo) bool { return m.ID == id && m.Thinking })
}

// Offered are the models that people may choose: those that chat.
func (s *Models) Offered() []agent.ModelInfo {
	return slices.DeleteFunc(s.All(), func(m agent.ModelInfo) bool { return m.NoChat })
}

// Search keeps the models in whose names all words of a query stand.
func Search(models []agent.ModelInfo, query string) []agent.ModelInfo {
	words := strings.Fields(strings.ToLower(query))
	return slices.DeleteFunc(models, func(m agent.ModelInfo) bool {
		name := strings.ToLower(m.ID)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) })
	})
}

// Check refuses a model that is not offered, and names those that come near.
func (s *Models) Check(id string) error {
	all := s.All()
	var names []string
	for _, m := range all {
		switch {
		case m.ID == id && m.NoChat:
			return agent.InvalidField("model", "%q does not chat; choose another one", agent.Clip(id, 100))
		case m.ID == id:
			return nil
		case !m.NoChat:
			names = append(names, m.ID)
		}
	}
	if len(names) == 0 {
		return agent.InvalidField("model", "%q is not available here; no endpoint lists its models now", agent.Clip(id, 100))
	}
	return agent.InvalidField("model", "%q is not available here; %s", agent.Clip(id, 100), nearText(id, names))
}

// nearModels is how many models an error names at most.
const nearModels = 5

// nearText names the models that have most pairs of letters in common with a name that is unknown.
func nearText(id string, names []string) string {
	wanted := pairs(id)
	type scored struct {
		name  string
		score float64
	}
	all := make([]scored, len(names))
	for i, name := range names {
		all[i] = scored{name, likeness(wanted, pairs(name))}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var near []string
	for _, s := range all[:min(len(all), nearModels)] {
		near = append(near, agent.Clip(s.name, 100))
	}
	lead := "allowed: "
	if len(names) > nearModels {
		lead = "similar names: "
	}
	return lead + strings.Join(near, ", ")
}

// comparedBytes bounds how much of a name is compared.
const comparedBytes = 100

func pairs(name string) map[string]bool {
	name = strings.ToLower(name[:min(len(name), comparedBytes)])
	all := make(map[string]bool, len(name))
	for i := range len(name) - 1 {
		all[name[i:i+2]] = true
	}
	return all
}

// likeness is the share of pairs that both have, 0 to 1.
func likeness(a, b map[string]bool) float64 {
	common := 0
	for p := range a {
		if b[p] {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// demoNeed is what a run needs so that one of the demo model's tests shows what it names.
type demoNeed struct {
	prompts []string
	outputs map[string]string
	within  time.Duration // 0 leaves the limit
}

var demoNeeds = []demoNeed{
	{prompts: []string{"test outputs", "测试产出", "測試產出"}, outputs: map[string]string{"city": "string", "days": "integer"}},
	{prompts: []string{"test repeated answer", "测试重复回答", "測試重複回答"}, outputs: map[string]string{"city": "string"}},
	{prompts: []string{"test timeout", "测试超时", "測試超時"}, within: 2 * time.Second},
}

// forDemo gives the run of a message to the demo model what its test needs.
func (s *Models) forDemo(m *agent.NewMessage) {
	said := strings.Trim(strings.ToLower(strings.TrimSpace(m.Content)), ".!。！")
	i := slices.IndexFunc(demoNeeds, func(n demoNeed) bool { return slices.Contains(n.prompts, said) })
	if i < 0 || s.Demo() == "" {
		return
	}
	need := demoNeeds[i]
	if len(m.Outputs) == 0 && need.outputs != nil {
		m.Outputs = need.outputs
	}
	if need.within > 0 {
		m.Limits.DurationMS = need.within.Milliseconds()
	}
}
