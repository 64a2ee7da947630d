package page

import (
	"slices"
	"sync"

	"fusebox/agent"
)

// maxHeld is how many lists of prices wait for a confirmation at most: the
// oldest is let go of. An admin sees what a list would change before it does.
const maxHeld = 8

// heldList is a list of prices that was read and not confirmed yet.
type heldList struct {
	id, userID, source string
	list               agent.PriceList
}

// heldLists are those of this process, oldest first.
type heldLists struct {
	mu    sync.Mutex
	lists []heldList
}

func (h *heldLists) keep(l heldList) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists = append(h.lists, l)
	if len(h.lists) > maxHeld {
		h.lists = slices.Delete(h.lists, 0, len(h.lists)-maxHeld)
	}
}

// get returns a list to who has uploaded it; Conflict where it is gone.
func (h *heldLists) get(id, userID string) (heldList, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.lists, func(l heldList) bool { return l.id == id && l.userID == userID })
	if i < 0 {
		return heldList{}, agent.Errorf(agent.Conflict, "This list is not held any more: it was imported, or the server was restarted. Upload it again.")
	}
	return h.lists[i], nil
}

func (h *heldLists) drop(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists = slices.DeleteFunc(h.lists, func(l heldList) bool { return l.id == id })
}
