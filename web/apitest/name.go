package apitest

import "strings"

// nameOf makes a location readable:
// "#/components/schemas/Approval/properties/votes/items/properties/by" is
// "Approval.votes[].by", and a schema of no name is named by its operation.
func nameOf(location string) string {
	keys := keysOf(location)
	name := ""
	switch {
	case len(keys) > 2 && keys[0] == "components":
		name, keys = keys[2], keys[3:]
	case len(keys) > 2 && keys[0] == "paths":
		name, keys = strings.ToUpper(keys[2])+" "+keys[1]+" ", keys[3:]
		for len(keys) > 0 && keys[0] != "schema" {
			if isStatus(keys[0]) {
				name += keys[0] + " "
			}
			keys = keys[1:]
		}
	}
	return name + within(keys)
}

func isStatus(key string) bool { return len(key) == 3 && strings.Trim(key, "0123456789") == "" }

// within names a place inside a schema. Alternatives have no name of their own.
func within(keys []string) string {
	name := ""
	for i := 0; i < len(keys); i++ {
		switch keys[i] {
		case "properties":
			i++
			name += "." + keys[i]
		case "items":
			name += "[]"
		case "additionalProperties":
			name += ".*"
		}
	}
	return name
}
