package styleguide

import (
	"maps"

	"github.com/a-h/templ"
)

// samples are all parts by their names.
func samples() map[string]templ.Component {
	all := parts()
	maps.Copy(all, chatLists())
	maps.Copy(all, children())
	maps.Copy(all, cards())
	maps.Copy(all, loopCards())
	maps.Copy(all, budgetCards())
	return all
}
