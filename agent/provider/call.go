package provider

import "encoding/json"

// call is a tool call on its way.
type call struct {
	id      string // as we give it out, set when the call is first shown
	given   string // as the provider gave it, "" if it did not
	index   *int
	name    string
	args    string
	sent    int // how much of args the watcher has
	started bool
}

// merge adds a fragment: an id is never overwritten, a name is set once and
// continued only while no arguments came.
func (c *call) merge(f fragment) {
	if c.given == "" {
		c.given = string(f.ID)
	}
	if c.index == nil {
		c.index = f.Index
	}
	name, args := string(f.Function.Name), string(f.Function.Arguments)
	repeated := name != "" && name == c.name && args == c.args && json.Valid([]byte(args))
	if name != c.name && c.args == "" && !c.started {
		c.name += name
	}
	switch {
	case repeated: // the whole call once more, beside the finish reason
	case c.args == "{}" && c.sent == 0 && args != "" && args[0] == '{':
		c.args = args
	default:
		c.args += args
	}
}

// another reports whether a fragment with this call's key is a second call all
// the same: servers send one id twice, or no key at all.
func (c *call) another(f fragment) bool {
	name, args := string(f.Function.Name), string(f.Function.Arguments)
	if name == "" {
		return false
	}
	if f.Index != nil && c.index != nil && *f.Index != *c.index {
		return true // the same id at another place
	}
	if c.args == "" || !json.Valid([]byte(c.args)) {
		return false
	}
	if name != c.name {
		return true
	}
	return args != "" && args[0] == '{' && args != c.args && c.args != "{}"
}
