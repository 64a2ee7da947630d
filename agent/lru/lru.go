// Package lru keeps values that are expensive to make again, in a bounded amount of
// memory. It imports nothing of ours.
package lru

import (
	"container/list"
	"sync"
)

// Cache keeps values under keys. Where there is no room for all of them, it forgets
// those that were not used for longest. It is safe for concurrent use.
type Cache[V any] struct {
	mu    sync.Mutex
	room  int
	used  int
	order list.List // of *entry[V], the one used last in front
	byKey map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
	size  int
}

// New makes a cache with room for values of a total size.
func New[V any](room int) *Cache[V] {
	return &Cache[V]{room: room, byKey: map[string]*list.Element{}}
}

// Get returns what is kept under a key, the zero value for nothing.
func (c *Cache[V]) Get(key string) (value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[key]; e != nil {
		c.order.MoveToFront(e)
		value = e.Value.(*entry[V]).value
	}
	return value
}

// Take removes a value and returns it, for a caller that will change it.
func (c *Cache[V]) Take(key string) (value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[key]; e != nil {
		value = c.forget(e)
	}
	return value
}

// Put keeps a value under a key, in the place of the one before. A value that is
// larger than the room is not kept.
func (c *Cache[V]) Put(key string, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[key]; e != nil {
		c.forget(e)
	}
	if size > c.room {
		return
	}
	c.used += size
	c.byKey[key] = c.order.PushFront(&entry[V]{key: key, value: value, size: size})
	for c.used > c.room {
		c.forget(c.order.Back())
	}
}

func (c *Cache[V]) forget(e *list.Element) V {
	old := c.order.Remove(e).(*entry[V])
	c.used -= old.size
	delete(c.byKey, old.key)
	return old.value
}
