package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// setters are programs that may give variables values.
var setters = []string{"read", "printf", "getopts", "mapfile", "readarray", "let", "unset", "eval", ".", "source"}

// constants are the variables that a text sets once, to a value that stands in it,
// and in no other way.
func constants(file *syntax.File) map[string]string {
	set, values, unknown := map[string]int{}, map[string]string{}, false
	r := &reader{script: &Script{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name == nil {
				return true
			}
			set[n.Name.Value]++
			if value := r.word(n.Value); n.Append || n.Index != nil || n.Array != nil || value.open {
				set[n.Name.Value]++
			} else {
				values[n.Name.Value] = value.text
			}
		case *syntax.WordIter:
			set[n.Name.Value] += 2
		case *syntax.ParamExp:
			if n.Exp != nil && n.Param != nil {
				set[n.Param.Value] += 2
			}
		case *syntax.CallExpr:
			unknown = unknown || len(n.Args) > 0 && slices.Contains(setters, r.word(n.Args[0]).text)
		}
		return true
	})
	for name := range values {
		if unknown || set[name] != 1 {
			delete(values, name)
		}
	}
	return values
}
