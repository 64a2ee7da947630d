package answer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

// call is a tool call on its way.
type call struct {
	id      string // as we give it out, set when the call is first shown
	given   string // as the provider gave it, "" if it did not
	index   *int
	name    string
	args    []byte
	sent    int // how much of args the watcher has
	started bool
	cut     bool            // by the output limit
	extra   json.RawMessage // goes back with the call in later requests
}

// merge adds a fragment: an id is never overwritten, a name is set once and
// continued only while no arguments came.
func (c *call) merge(f wire.Fragment) {
	if c.given == "" {
		c.given = string(f.ID)
	}
	if c.index == nil {
		c.index = f.Index
	}
	if len(f.ExtraContent) > 0 && string(f.ExtraContent) != "null" {
		c.extra = f.ExtraContent
	}
	name, args := string(f.Function.Name), string(f.Function.Arguments)
	repeated := name != "" && name == c.name && args == string(c.args) && json.Valid(c.args)
	if name != c.name && len(c.args) == 0 && !c.started {
		c.name += name
	}
	switch {
	case repeated: // the whole call once more, with the finish reason
	case string(c.args) == "{}" && c.sent == 0 && args != "" && args[0] == '{':
		c.args = []byte(args)
	default:
		c.args = append(c.args, args...)
	}
}

// toolName is what a call calls: the offered tool that its name means, or else the name as
// it came.
func (a *Accumulator) toolName(c *call) string {
	offered := func(name string) bool {
		return slices.ContainsFunc(a.tools, func(t agent.ToolSpec) bool { return t.Name == name })
	}
	return cmp.Or(toolMeant(c.name, offered), c.name)
}

// takeFromName takes arguments out of a call's name, where GLM's servers leave them.
func (a *Accumulator) takeFromName(c *call) {
	_, args, found := strings.Cut(c.name, argKey)
	if bare := strings.TrimSpace(string(c.args)); !found || bare != "" && bare != "{}" {
		return
	}
	if taken, _, ok := argTags.args(a.toolName(c), argKey+args, newOffer(a.tools)); ok {
		c.args = []byte(taken)
	}
}

// another reports whether a fragment with this call's key is a second call all
// the same: servers send one id twice, or no key at all.
func (c *call) another(f wire.Fragment) bool {
	name, args := string(f.Function.Name), string(f.Function.Arguments)
	if name == "" {
		return false
	}
	if f.Index != nil && c.index != nil && *f.Index != *c.index {
		return true // the same id at another place
	}
	if len(c.args) == 0 || !json.Valid(c.args) {
		return false
	}
	if name != c.name {
		return true
	}
	return args != "" && args[0] == '{' && args != string(c.args) && string(c.args) != "{}"
}

// find returns the call a fragment continues, nil when it opens a new one. The
// key is the non-empty id, else the index, else the latest call; a new id opens
// a call unless one waits for its id at this place.
func (a *Accumulator) find(f wire.Fragment) *call {
	k := a.lookup(f)
	c := k.latest
	switch {
	case f.ID != "" && k.exact != nil:
		c = k.exact
	case f.ID != "" && k.byID != nil:
		c = k.byID
	case k.byIndex != nil:
		c = k.byIndex
	case f.Index != nil && c != nil && c.index != nil:
		return nil
	}
	if c == nil || c.another(f) || (f.ID != "" && c.given != "" && c.given != string(f.ID)) {
		return nil
	}
	return c
}

// keys are the latest calls that match a fragment in one way or another.
type keys struct{ exact, byID, byIndex, latest *call }

func (a *Accumulator) lookup(f wire.Fragment) (k keys) {
	for _, c := range a.calls {
		sameID := f.ID != "" && c.given == string(f.ID)
		sameIndex := f.Index != nil && c.index != nil && *c.index == *f.Index
		k.latest = c
		if sameID {
			k.byID = c
		}
		if sameIndex {
			k.byIndex = c
		}
		if sameID && sameIndex {
			k.exact = c
		}
	}
	return k
}

// maxCallID bounds the id of a call, in bytes. Some gateways keep a model's signature
// of its thoughts in it, and want it back.
const maxCallID = 8 << 10

// unique keeps the provider's id where nothing else has it, and makes one up
// from the number of calls so far otherwise: the same history and answer give
// the same ids.
func (a *Accumulator) unique(given string) string {
	free := func(id string) bool {
		if id == "" || len(id) > maxCallID || a.past.Taken(id) {
			return false
		}
		for _, c := range a.calls {
			if c.id == id {
				return false
			}
		}
		return true
	}
	id := given
	for n := a.past.Calls() + 1; !free(id); n++ {
		id = "call_" + strconv.Itoa(n)
	}
	return id
}
