package strict

import (
	"fmt"
	"testing"

	"fusebox/agent/demo/wire"
)

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var m Memory
	for i := range maxCalls + 1 {
		m.Remember("kimi", wire.Message{ToolCalls: []wire.Call{{ID: fmt.Sprint(i)}}})
	}
	if _, known := m.recall("kimi", "0"); known || len(m.calls) != maxCalls || len(m.order) != maxCalls {
		t.Errorf("the oldest is known: %v; %d calls, %d in order", known, len(m.calls), len(m.order))
	}
	if _, known := m.recall("kimi", fmt.Sprint(maxCalls)); !known {
		t.Error("the newest is forgotten")
	}
	if _, known := m.recall("deepseek", "1"); known {
		t.Error("another family's call is known")
	}
}
