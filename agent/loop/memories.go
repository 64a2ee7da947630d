package loop

import (
	"sync"

	"fusebox/agent"
	"fusebox/agent/lru"
)

// Bounds of the memories that wait for a conversation's next run: the bytes of all of
// them, and the messages from which on one is kept. Shorter ones are made as quickly.
const (
	keptMemoryBytes = 64 << 20
	worthKeeping    = 32
)

// memories are those of conversations of which no run is advanced right now. A run
// takes its conversation's, so that no two use one at a time.
type memories struct {
	once sync.Once
	kept *lru.Cache[*agent.Memory]
}

func (k *memories) cache() *lru.Cache[*agent.Memory] {
	k.once.Do(func() { k.kept = lru.New[*agent.Memory](keptMemoryBytes) })
	return k.kept
}

// take is a conversation's memory, or a new one.
func (k *memories) take(conversationID string) *agent.Memory {
	if m := k.cache().Take(conversationID); m != nil {
		return m
	}
	return &agent.Memory{}
}

// keep keeps the memory of a run that is let go of.
func (k *memories) keep(x *execution) {
	branch := x.transcript.branch
	if len(branch) < worthKeeping {
		return
	}
	size := 0
	for i := range branch {
		size += 2 * branch[i].Size() // as it is, and as it is sent
		for _, img := range branch[i].Images {
			size += 4 * int(img.Bytes) / 3 // as it is sent
		}
	}
	k.cache().Put(x.conv.ID, x.memory, size)
}
