package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// inWords says what is wrong with a value and what it has to be, for the model
// as for the person who edits arguments.
func inWords(problem jsonschema.ErrorKind) string {
	switch k := problem.(type) {
	case *kind.Type:
		return fmt.Sprintf("has the type %s; it must be %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		return "is not one of the values that are allowed: " + listed(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("has %d characters; at least %d are needed", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters; at most %d are allowed", k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %d items; at least %d are needed", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items; at most %d are allowed", k.Got, k.Want)
	case *kind.UniqueItems:
		return "has the same item twice; each is allowed once"
	case *kind.Minimum:
		return fmt.Sprintf("is %s; at least %s is needed", decimal(k.Got), decimal(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("is %s; at most %s is allowed", decimal(k.Got), decimal(k.Want))
	default:
		return problem.LocalizedString(message.NewPrinter(language.English))
	}
}

func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// listed writes values as JSON, separated by commas.
func listed(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		raw, err := json.Marshal(v)
		if err != nil {
			raw = fmt.Append(nil, v)
		}
		texts[i] = string(raw)
	}
	return strings.Join(texts, ", ")
}
