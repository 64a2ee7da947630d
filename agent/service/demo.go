package service

import (
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

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
func (d *Runs) forDemo(m *agent.NewMessage) {
	said := strings.Trim(strings.ToLower(strings.TrimSpace(m.Content)), ".!。！")
	i := slices.IndexFunc(demoNeeds, func(n demoNeed) bool { return slices.Contains(n.prompts, said) })
	if i < 0 || d.models == nil || d.models.Demo() == "" {
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
